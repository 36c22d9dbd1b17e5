import { keysChanged } from '../crypto/exchange/check-unchanged.ts';
import {
  type Channel,
  type Expert as ExpertKeys,
  type OwnKeys,
  openChannel,
  type PublicKeys,
  parsePublicKey,
  samePublicKey,
} from '../crypto/index.ts';
import { refusal } from '../crypto/refusal.ts';
import { RelayError } from '../relay-error.ts';
import type { Head, Pair } from '../thread/page.ts';
import type { Side } from '../thread/thread.ts';

/** What the expert sends to pick a request up. */
export interface PickUp {
  readonly providerSignPubKey: string;
  readonly providerEncryptPubKey: string;
  readonly keySignature: string;
}

interface Prepared {
  readonly own: OwnKeys;
  readonly pickUp: PickUp;
  readonly channel: Channel;
}

/** The expert's side of a conversation. It keeps nothing: its keys follow from the root. */
export class ExpertSide implements Side {
  readonly role = 'provider';
  readonly takesPlaintext = true;
  readonly isShown = () => true;
  readonly #requestId: string;
  readonly #expert: ExpertKeys | undefined;
  readonly #own: Promise<OwnKeys> | undefined;
  /** The agent's keys at first sight, or that there were none. */
  #firstSight: { readonly keys: Pair | undefined } | undefined;
  #prepared: Promise<Prepared> | undefined;
  #channel: Channel | undefined;

  constructor(options: { requestId: string; expert: ExpertKeys | undefined }) {
    this.#requestId = options.requestId;
    this.#expert = options.expert;
    // Made while the request is on its way. Whoever needs them hears of it when they cannot be.
    this.#own = options.expert?.keysFor(options.requestId);
    this.#own?.catch(() => {});
  }

  /** Whether the keys that were exchanged are this expert's. */
  get isPickedUp(): boolean {
    return this.#channel !== undefined;
  }

  async agree(head: Head): Promise<Channel | undefined> {
    const { consumerKeys, providerKeys } = head;
    this.#firstSight ??= { keys: consumerKeys && checked(consumerKeys) };
    if (!samePair(this.#firstSight.keys, consumerKeys)) throw keysChanged();
    if (!providerKeys) {
      if (this.#channel) throw keysChanged();
      return undefined;
    }
    const { own, pickUp, channel } = await this.#prepare(head);
    const shown = parsePair(providerKeys);
    if (!samePublicKey(shown.sign, own.signPublic)) throw othersKeys();
    // What was signed then must still fit the agent's keys that are shown now.
    if (!samePublicKey(shown.encrypt, own.encryptPublic) || head.keySignature !== pickUp.keySignature) {
      throw keysChanged();
    }
    this.#channel = channel;
    return channel;
  }

  /** What to send to pick the request up. */
  async pickUp(head: Head): Promise<PickUp> {
    return (await this.#prepare(head)).pickUp;
  }

  /** Once, also for two who want it at a time: a second channel would not know what the first has seen. */
  #prepare(head: Head): Promise<Prepared> {
    this.#prepared ??= this.#make(head);
    return this.#prepared;
  }

  async #make({ consumerKeys }: Head): Promise<Prepared> {
    const [expert, own] = [this.#expert, await this.#own];
    if (!expert || !own) throw withoutRoot();
    if (!consumerKeys) throw keysChanged();
    const peer = parsePair(consumerKeys);
    const requestId = this.#requestId;
    const [keySignature, channel] = await Promise.all([
      expert.signExchange({
        requestId,
        consumerSign: peer.sign,
        consumerEncrypt: peer.encrypt,
        providerEncrypt: own.encryptPublic,
      }),
      openChannel({ requestId, role: this.role, own, peer }),
    ]);
    const pickUp = {
      providerSignPubKey: own.signPublic.pem,
      providerEncryptPubKey: own.encryptPublic.pem,
      keySignature,
    };
    return { own, pickUp, channel };
  }
}

const parsePair = ({ sign, encrypt }: Pair): PublicKeys => ({
  sign: parsePublicKey(sign, 'sign'),
  encrypt: parsePublicKey(encrypt, 'encrypt'),
});

function checked(keys: Pair): Pair {
  parsePair(keys);
  return keys;
}

/** As texts: a request's keys are stored once, and always shown as they came. */
const samePair = (one: Pair | undefined, other: Pair | undefined): boolean =>
  one?.sign === other?.sign && one?.encrypt === other?.encrypt;

const withoutRoot = () =>
  new RelayError(
    'no_keys_yet',
    'This conversation is encrypted, and here are no keys. Give the expert its `root`: restore it by the recovery code.',
  );

const othersKeys = () =>
  refusal(
    'keys_changed',
    'This request was picked up with other keys than yours.',
    'Answer it where those are.',
  );
