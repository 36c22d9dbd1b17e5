import { fromBase64 } from '../crypto/bytes/base64.ts';
import type { Bytes } from '../crypto/bytes/bytes.ts';
import { missing } from '../crypto/channel/history.ts';
import { questionAltered } from '../crypto/exchange/check-exchange.ts';
import { keysChanged } from '../crypto/exchange/check-unchanged.ts';
import {
  type Channel,
  type ChannelState,
  type ExchangeToSign,
  type Expert as ExpertKeys,
  type OwnKeys,
  openChannel,
  type PublicKeys,
  parsePublicKey,
  samePublicKey,
} from '../crypto/index.ts';
import { refusal } from '../crypto/refusal.ts';
import type { Memory } from '../memory.ts';
import { RelayError } from '../relay-error.ts';
import type { Head, Pair } from '../thread/page.ts';
import type { Side } from '../thread/thread.ts';
import { digestAsked, readAsked } from './asked.ts';

/** What the expert sends to pick a request up. */
export interface PickUp {
  readonly providerSignPubKey: string;
  readonly providerEncryptPubKey: string;
  readonly keySignature: string;
}

interface Prepared {
  readonly own: OwnKeys;
  readonly exchange: ExchangeToSign;
  readonly pickUp: PickUp;
  readonly channel: Channel;
}

/** What the expert keeps of a request from its first look on: all of it must stay as it was. */
interface Remembered {
  /** The agent's, as PEM; null when it sent none. */
  readonly keys: Pair | null;
  /** What stands for the question, base64. */
  readonly submission: string;
  /** Once it was picked up: of the messages that the relay has shown or taken, those that no other links to. */
  readonly ends?: readonly string[];
}

export interface ExpertSideOptions {
  readonly requestId: string;
  readonly expert: ExpertKeys | undefined;
  readonly memory: Memory;
}

/** The expert's side of a conversation. Its keys follow from the root, the rest is in the memory. */
export class ExpertSide implements Side {
  readonly role = 'provider';
  readonly isShown = () => true;
  readonly takesPlaintext = async () => true;
  readonly #options: ExpertSideOptions;
  readonly #own: Promise<OwnKeys> | undefined;
  #remembered: Remembered | undefined;
  #prepared: Promise<Prepared> | undefined;
  #channel: Channel | undefined;

  constructor(options: ExpertSideOptions) {
    this.#options = options;
    // Made while the request is on its way. A failure is reported where the keys are needed.
    this.#own = options.expert?.keysFor(options.requestId);
    this.#own?.catch(() => {});
  }

  /** Whether the keys that were exchanged are this expert's. */
  get isPickedUp(): boolean {
    return this.#channel !== undefined;
  }

  /** Whether answers are encrypted: there is a root, and the agent sent keys. */
  get isEncrypted(): boolean {
    return this.#options.expert !== undefined && this.#remembered?.keys !== null;
  }

  /** Before the list is read: what other clients remember meanwhile may be newer than the list. */
  async recall(): Promise<void> {
    const kept = await this.#options.memory.get(this.#name);
    if (kept !== undefined) this.#remembered = JSON.parse(kept);
  }

  async agree(head: Head): Promise<Channel | undefined> {
    const remembered = await this.#compare(head);
    const { providerKeys, keySignature } = head;
    if (!providerKeys) {
      if (remembered.ends) throw keysChanged();
      return undefined;
    }
    const { own, exchange, pickUp, channel } = await this.#prepare(remembered);
    const shown = parsePair(providerKeys);
    if (!samePublicKey(shown.sign, own.signPublic)) throw othersKeys();
    if (!samePublicKey(shown.encrypt, own.encryptPublic)) throw keysChanged();
    if (keySignature !== pickUp.keySignature) {
      // Another device of this expert has signed what it was shown.
      const submission = fromBase64(keySignature ?? '')?.slice(0, 32) ?? new Uint8Array(0);
      const signed = await this.#options.expert?.signExchange({ ...exchange, submission });
      throw keySignature === signed ? questionAltered() : keysChanged();
    }
    this.#channel = channel;
    return channel;
  }

  /** Compares the history with the one that was seen before, and keeps it. */
  async settle(state: ChannelState | undefined): Promise<void> {
    const remembered = this.#remembered;
    if (!state || !remembered) return;
    const { seen, ends, unlisted } = state;
    const hashes = new Set(seen.map(([hash]) => hash));
    if (remembered.ends?.some((end) => !hashes.has(end))) {
      throw seen.length === 0 ? keysChanged() : missing();
    }
    // What was sealed here may never arrive, if this process ends before the relay has taken it.
    const taken = ends.filter((end) => !unlisted.includes(end) || remembered.ends?.includes(end));
    if (!remembered.ends || taken.length > 0) await this.keep(taken);
  }

  /** Keeps what the next client must find in the list. */
  async keep(ends: readonly string[] | undefined): Promise<void> {
    if (!ends || String(ends) === String(this.#remembered?.ends)) return;
    this.#remembered = { ...(this.#remembered as Remembered), ends };
    await this.#options.memory.set(this.#name, JSON.stringify(this.#remembered));
  }

  /** What to send to pick the request up. */
  async pickUp(head: Head): Promise<PickUp> {
    return (await this.#prepare(await this.#compare(head))).pickUp;
  }

  get #name(): string {
    return `request:${this.#options.requestId}`;
  }

  /** What the relay shows of the agent must be what it showed first. */
  async #compare({ consumerKeys, asked }: Head): Promise<Remembered> {
    const peer = consumerKeys && parsePair(consumerKeys);
    const keys = peer ? { sign: peer.sign.pem, encrypt: peer.encrypt.pem } : null;
    const shown: Remembered = { keys, submission: await digestAsked(readAsked(asked)) };
    if (!this.#remembered) {
      const kept = await this.#options.memory.remember(this.#name, JSON.stringify(shown));
      const { keys, submission }: Remembered = JSON.parse(kept);
      this.#remembered ??= { keys, submission };
    }
    const { keys: first, submission } = this.#remembered;
    if (first?.sign !== keys?.sign || first?.encrypt !== keys?.encrypt) throw keysChanged();
    if (submission !== shown.submission) throw questionAltered();
    return this.#remembered;
  }

  /** Once, also for two who want it at a time: a second channel would not know what the first has seen. */
  #prepare(remembered: Remembered): Promise<Prepared> {
    this.#prepared ??= this.#make(remembered);
    return this.#prepared;
  }

  async #make({ keys, submission }: Remembered): Promise<Prepared> {
    const { requestId, expert } = this.#options;
    const own = await this.#own;
    if (!expert || !own) throw withoutRoot();
    if (!keys) throw keysChanged();
    const peer = parsePair(keys);
    const exchange = {
      requestId,
      consumerSign: peer.sign,
      consumerEncrypt: peer.encrypt,
      providerEncrypt: own.encryptPublic,
      submission: fromBase64(submission) as Bytes,
    };
    const [keySignature, channel] = await Promise.all([
      expert.signExchange(exchange),
      openChannel({ requestId, role: this.role, own, peer }),
    ]);
    const pickUp = {
      providerSignPubKey: own.signPublic.pem,
      providerEncryptPubKey: own.encryptPublic.pem,
      keySignature,
    };
    return { own, exchange, pickUp, channel };
  }
}

const parsePair = ({ sign, encrypt }: Pair): PublicKeys => ({
  sign: parsePublicKey(sign, 'sign'),
  encrypt: parsePublicKey(encrypt, 'encrypt'),
});

const withoutRoot = () =>
  new RelayError(
    'no_keys_yet',
    'This conversation is encrypted. Give the expert its `root`: the recovery code restores it.',
  );

const othersKeys = () =>
  refusal(
    'keys_changed',
    'This request was picked up with other keys than yours.',
    'Answer it where those are.',
  );
