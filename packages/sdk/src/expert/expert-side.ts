import { fromBase64 } from '../crypto/base64.ts';
import type { Bytes } from '../crypto/bytes.ts';
import { type Channel, openChannel } from '../crypto/channel.ts';
import type { ExpertKeys } from '../crypto/expert-keys.ts';
import type { ChannelState } from '../crypto/history.ts';
import { missing } from '../crypto/history.ts';
import { checkPickUp, keysChanged, type PublicKeys } from '../crypto/key-exchange.ts';
import type { OwnKeys } from '../crypto/own-keys.ts';
import { RelayError } from '../relay-error.ts';
import type { Head } from '../thread/page.ts';
import type { Side } from '../thread/side.ts';
import { type Question, readQuestion } from './question.ts';
import {
  compareWithFirst,
  firstVersionOf,
  parsePair,
  type Remembered,
  type RequestMemory,
} from './request-memory.ts';

/** The body of the call that picks a request up. */
export interface PickUp {
  readonly providerSignPubKey: string;
  readonly providerEncryptPubKey: string;
  readonly keySignature: string;
}

interface Prepared {
  readonly own: OwnKeys;
  readonly consumer: PublicKeys;
  readonly submissionDigest: Bytes;
  readonly pickUp: PickUp;
}

export interface ExpertSideOptions {
  readonly requestId: string;
  readonly expert: ExpertKeys | undefined;
  readonly requestMemory: RequestMemory;
}

/** The expert's side of a conversation. Its keys are derived from the root, the rest is in the store. */
export interface ExpertSide extends Side {
  readonly hasRoot: boolean;
  /** The question, once it was compared with the first one. Only then may it be shown. */
  readonly question: Question | undefined;
  /** Whether the keys that were exchanged are this expert's. */
  readonly isPickedUp: boolean;
  /** Whether answers are encrypted: there is a root, and the agent sent keys. */
  readonly isEncrypted: boolean;
  recall(): Promise<void>;
  /** Whether another client with this store has sent something that this one has not read yet. */
  hasUnread(state: ChannelState | undefined): Promise<boolean>;
  /** Compares the history with the remembered one, and remembers the new one. */
  checkHistory(state: ChannelState | undefined): Promise<void>;
  /** Remembers messages that the next client must find in the list. */
  rememberEnds(state: ChannelState | undefined): Promise<void>;
  /** The body of the call that picks the request up. */
  pickUp(head: Head): Promise<PickUp>;
}

export function createExpertSide({ requestId, expert, requestMemory }: ExpertSideOptions): ExpertSide {
  // Derived while the request is read. A failure is reported where the keys are needed.
  const making = expert?.keysFor(requestId);
  making?.catch(() => {});
  let remembered: Remembered | undefined;
  let question: Question | undefined;
  let preparing: Promise<Prepared> | undefined;
  let opening: Promise<Channel> | undefined;
  let accepted: string | undefined;

  async function rememberEnds({ seen, ends }: Pick<ChannelState, 'seen' | 'ends'>): Promise<void> {
    if (String(ends) === String(remembered?.ends)) return;
    const hashes = new Set(seen.map(([hash]) => hash));
    // What another client has sent since this one read the list stays: lists that are read from now on must have it.
    remembered = { ...(remembered as Remembered), ends };
    await requestMemory.changeEnds(requestId, (stored) => [
      ...ends,
      ...stored.filter((end) => !hashes.has(end)),
    ]);
  }

  /** Checks that the code, the agent's keys and the question are those that were shown first. */
  async function compare(head: Head): Promise<Remembered> {
    const current = question ? await firstVersionOf(head) : await requestMemory.check(head);
    if (!remembered) {
      const first = await requestMemory.remember(current);
      remembered ??= first;
    }
    compareWithFirst(remembered, current);
    question ??= readQuestion(head.asked);
    return remembered;
  }

  /** Runs once, also for calls at the same time. */
  async function prepare(head: Head): Promise<Prepared> {
    const known = await compare(head);
    preparing ??= make(known);
    return await preparing;
  }

  async function make({ keys, submission }: Remembered): Promise<Prepared> {
    const own = await making;
    if (!expert || !own) throw withoutRoot();
    if (!keys) throw keysChanged();
    const consumer = parsePair(keys);
    const submissionDigest = fromBase64(submission) as Bytes;
    const exchange = {
      requestId,
      consumer,
      submission: submissionDigest,
      providerEncrypt: own.encryptPublic,
    };
    const pickUp = {
      providerSignPubKey: own.signPublic.pem,
      providerEncryptPubKey: own.encryptPublic.pem,
      keySignature: await expert.signExchange(exchange),
    };
    return { own, consumer, submissionDigest, pickUp };
  }

  return {
    role: 'provider',
    isForCaller: () => true,
    hasDevices: true,
    isSigned: true,
    acceptUnprotected: false,
    get agentSentKeys() {
      return remembered?.keys !== null;
    },
    hasRoot: expert !== undefined,
    get question() {
      return question;
    },
    get form() {
      const text = question?.answerForm;
      return text === undefined || !remembered ? undefined : { of: remembered.submission, text };
    },
    get isPickedUp() {
      return accepted !== undefined;
    },
    get isEncrypted() {
      return expert !== undefined && remembered?.keys !== null;
    },
    rememberEnds: async (state) => state && (await rememberEnds(state)),
    pickUp: async (head) => (await prepare(head)).pickUp,
    async recall() {
      remembered = (await requestMemory.recall(requestId)) ?? remembered;
    },
    async checkKeys(head) {
      const { providerKeys, keySignature } = head;
      if (!providerKeys) {
        if ((await compare(head)).ends) throw keysChanged();
        return undefined;
      }
      const { own, consumer, submissionDigest } = await prepare(head);
      await checkPickUp({
        requestId,
        own: { sign: own.signPublic, encrypt: own.encryptPublic },
        consumer,
        submission: submissionDigest,
        exchange: {
          providerSignPubKey: providerKeys.sign,
          providerEncryptPubKey: providerKeys.encrypt,
          keySignature,
        },
      });
      accepted ??= keySignature;
      if (keySignature !== accepted) throw keysChanged();
      // Once: two channels would not know of each other's messages.
      opening ??= openChannel({
        requestId,
        role: 'provider',
        own,
        peer: consumer,
        submission: submissionDigest,
        keySignature,
      });
      return await opening;
    },
    async hasUnread(state) {
      const { ends = [] } = (await requestMemory.recall(requestId)) ?? {};
      const hashes = new Set(state?.seen.map(([hash]) => hash));
      return ends.some((end) => !hashes.has(end));
    },
    async checkHistory(state) {
      if (!state || !remembered) return;
      const { seen, ends, unlisted } = state;
      const before = remembered.ends;
      const hashes = new Set(seen.map(([hash]) => hash));
      if (before?.some((end) => !hashes.has(end))) {
        throw seen.length === 0 ? keysChanged() : missing();
      }
      // A message that was encrypted here may never arrive, if this process ends before it was sent.
      const taken = ends.filter((end) => !unlisted.includes(end) || before?.includes(end));
      if (!before || taken.length > 0) await rememberEnds({ seen, ends: taken });
    },
  };
}

export const withoutRoot = (orElse = '') =>
  new RelayError('no_keys_yet', `This conversation is encrypted. Give the expert its \`root\`${orElse}.`);
