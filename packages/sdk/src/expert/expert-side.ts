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
export interface ExpertSide extends Side {
  readonly hasRoot: boolean;
  /** Whether the keys that were exchanged are this expert's. */
  readonly isPickedUp: boolean;
  /** Whether answers are encrypted: there is a root, and the agent sent keys. */
  readonly isEncrypted: boolean;
  /** Before the list is read: what other clients remember meanwhile may be newer than the list. */
  recall(): Promise<void>;
  /** Compares the history with the one that was seen before, and keeps it. */
  settle(state: ChannelState | undefined): Promise<void>;
  /** Keeps what the next client must find in the list. */
  keep(ends: readonly string[] | undefined): Promise<void>;
  /** What to send to pick the request up. */
  pickUp(head: Head): Promise<PickUp>;
}

export function createExpertSide({ requestId, expert, memory }: ExpertSideOptions): ExpertSide {
  const name = `request:${requestId}`;
  // Made while the request is on its way. A failure is reported where the keys are needed.
  const making = expert?.keysFor(requestId);
  making?.catch(() => {});
  let remembered: Remembered | undefined;
  let preparing: Promise<Prepared> | undefined;
  let channel: Channel | undefined;

  async function keep(ends: readonly string[] | undefined): Promise<void> {
    if (!ends || String(ends) === String(remembered?.ends)) return;
    remembered = { ...(remembered as Remembered), ends };
    await memory.set(name, JSON.stringify(remembered));
  }

  /** What the relay shows of the agent must be what it showed first. */
  async function compare({ consumerKeys, asked }: Head): Promise<Remembered> {
    const peer = consumerKeys && parsePair(consumerKeys);
    const keys = peer ? { sign: peer.sign.pem, encrypt: peer.encrypt.pem } : null;
    const shown: Remembered = { keys, submission: await digestAsked(readAsked(asked)) };
    if (!remembered) {
      const kept: Remembered = JSON.parse(await memory.remember(name, JSON.stringify(shown)));
      remembered ??= { keys: kept.keys, submission: kept.submission };
    }
    const { keys: first, submission } = remembered;
    if (first?.sign !== keys?.sign || first?.encrypt !== keys?.encrypt) throw keysChanged();
    if (submission !== shown.submission) throw questionAltered();
    return remembered;
  }

  /** Once, also for two who want it at a time: a second channel would not know what the first has seen. */
  async function prepare(head: Head): Promise<Prepared> {
    const known = await compare(head);
    preparing ??= make(known);
    return await preparing;
  }

  async function make({ keys, submission }: Remembered): Promise<Prepared> {
    const own = await making;
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
    const [keySignature, opened] = await Promise.all([
      expert.signExchange(exchange),
      openChannel({ requestId, role: 'provider', own, peer }),
    ]);
    const pickUp = {
      providerSignPubKey: own.signPublic.pem,
      providerEncryptPubKey: own.encryptPublic.pem,
      keySignature,
    };
    return { own, exchange, pickUp, channel: opened };
  }

  return {
    role: 'provider',
    isShown: () => true,
    takesPlaintext: async () => true,
    hasRoot: expert !== undefined,
    get isPickedUp() {
      return channel !== undefined;
    },
    get isEncrypted() {
      return expert !== undefined && remembered?.keys !== null;
    },
    keep,
    pickUp: async (head) => (await prepare(head)).pickUp,
    async recall() {
      const kept = await memory.get(name);
      if (kept !== undefined) remembered = JSON.parse(kept);
    },
    async agree(head) {
      const { providerKeys, keySignature } = head;
      if (!providerKeys) {
        if ((await compare(head)).ends) throw keysChanged();
        return undefined;
      }
      const { own, exchange, pickUp, channel: opened } = await prepare(head);
      const shown = parsePair(providerKeys);
      if (!samePublicKey(shown.sign, own.signPublic)) throw othersKeys();
      if (!samePublicKey(shown.encrypt, own.encryptPublic)) throw keysChanged();
      if (keySignature !== pickUp.keySignature) {
        // Another device of this expert has signed what it was shown.
        const submission = fromBase64(keySignature ?? '')?.slice(0, 32) ?? new Uint8Array(0);
        const signed = await expert?.signExchange({ ...exchange, submission });
        throw keySignature === signed ? questionAltered() : keysChanged();
      }
      channel = opened;
      return channel;
    },
    async settle(state) {
      if (!state || !remembered) return;
      const { seen, ends, unlisted } = state;
      const before = remembered.ends;
      const hashes = new Set(seen.map(([hash]) => hash));
      if (before?.some((end) => !hashes.has(end))) {
        throw seen.length === 0 ? keysChanged() : missing();
      }
      // What was sealed here may never arrive, if this process ends before the relay has taken it.
      const taken = ends.filter((end) => !unlisted.includes(end) || before?.includes(end));
      if (!before || taken.length > 0) await keep(taken);
    },
  };
}

const parsePair = ({ sign, encrypt }: Pair): PublicKeys => ({
  sign: parsePublicKey(sign, 'sign'),
  encrypt: parsePublicKey(encrypt, 'encrypt'),
});

export const withoutRoot = (orElse = '') =>
  new RelayError('no_keys_yet', `This conversation is encrypted. Give the expert its \`root\`${orElse}.`);

const othersKeys = () =>
  refusal(
    'keys_changed',
    'This request was picked up with other keys than yours.',
    'Answer it where those are.',
  );
