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
import type { OpenForm, Side } from '../thread/side.ts';
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
export class ExpertSide implements Side {
  readonly role = 'provider';
  readonly hasDevices = true;
  readonly isSigned = true;
  readonly acceptUnprotected = false;
  readonly #requestId: string;
  readonly #expert: ExpertKeys | undefined;
  readonly #requestMemory: RequestMemory;
  readonly #making: Promise<OwnKeys> | undefined;
  #remembered: Remembered | undefined;
  #question: Question | undefined;
  #preparing: Promise<Prepared> | undefined;
  #opening: Promise<Channel> | undefined;
  #accepted: string | undefined;

  constructor({ requestId, expert, requestMemory }: ExpertSideOptions) {
    this.#requestId = requestId;
    this.#expert = expert;
    this.#requestMemory = requestMemory;
    // Derived while the request is read. A failure is reported where the keys are needed.
    this.#making = expert?.keysFor(requestId);
    this.#making?.catch(() => {});
  }

  get agentSentKeys(): boolean {
    return this.#remembered?.keys !== null;
  }
  get hasRoot(): boolean {
    return this.#expert !== undefined;
  }
  /** The question, once it was compared with the first one. Only then may it be shown. */
  get question(): Question | undefined {
    return this.#question;
  }
  get form(): OpenForm | undefined {
    const text = this.#question?.answerForm;
    const of = this.#remembered?.submission;
    return text === undefined || of === undefined ? undefined : { of, text };
  }
  /** Whether the keys that were exchanged are this expert's. */
  get isPickedUp(): boolean {
    return this.#accepted !== undefined;
  }
  /** Whether answers are encrypted: there is a root, and the agent sent keys. */
  get isEncrypted(): boolean {
    return this.hasRoot && this.agentSentKeys;
  }

  isForCaller(): boolean {
    return true;
  }

  async readStore(): Promise<void> {
    this.#remembered = (await this.#requestMemory.recall(this.#requestId)) ?? this.#remembered;
  }

  /** The body of the call that picks the request up. */
  async pickUp(head: Head): Promise<PickUp> {
    return (await this.#prepare(head)).pickUp;
  }

  async checkKeys(head: Head): Promise<Channel | undefined> {
    const { providerKeys, keySignature } = head;
    if (!providerKeys) {
      if ((await this.#compare(head)).ends) throw keysChanged();
      return undefined;
    }
    const { own, consumer, submissionDigest } = await this.#prepare(head);
    await checkPickUp({
      requestId: this.#requestId,
      own: { sign: own.signPublic, encrypt: own.encryptPublic },
      consumer,
      submission: submissionDigest,
      exchange: {
        providerSignPubKey: providerKeys.sign,
        providerEncryptPubKey: providerKeys.encrypt,
        keySignature,
      },
    });
    this.#accepted ??= keySignature;
    if (keySignature !== this.#accepted) throw keysChanged();
    // Once: two channels would not know of each other's messages.
    this.#opening ??= openChannel({
      requestId: this.#requestId,
      role: this.role,
      own,
      peer: consumer,
      submission: submissionDigest,
      keySignature,
    });
    return await this.#opening;
  }

  /** Checks that the code, the agent's keys and the question are those that were shown first. */
  async #compare(head: Head): Promise<Remembered> {
    const memory = this.#requestMemory;
    const current = this.#question ? await firstVersionOf(head) : await memory.check(head);
    if (!this.#remembered) {
      const first = await memory.remember(current);
      this.#remembered ??= first;
    }
    compareWithFirst(this.#remembered, current);
    this.#question ??= readQuestion(head.asked);
    return this.#remembered;
  }

  /** Runs once, also for calls at the same time. */
  async #prepare(head: Head): Promise<Prepared> {
    const known = await this.#compare(head);
    this.#preparing ??= this.#make(known);
    return await this.#preparing;
  }

  async #make({ keys, submission }: Remembered): Promise<Prepared> {
    const expert = this.#expert;
    const own = await this.#making;
    if (!expert || !own) throw withoutRoot();
    if (!keys) throw keysChanged();
    const consumer = parsePair(keys);
    const submissionDigest = fromBase64(submission) as Bytes;
    const exchange = {
      requestId: this.#requestId,
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

  /** Whether another client with this store has sent something that this one has not read yet. */
  async hasUnread(state: ChannelState | undefined): Promise<boolean> {
    const { ends = [] } = (await this.#requestMemory.recall(this.#requestId)) ?? {};
    const hashes = new Set(state?.seen.map(([hash]) => hash));
    return ends.some((end) => !hashes.has(end));
  }

  /** Compares the history with the remembered one, and remembers the new one. */
  async checkHistory(state: ChannelState | undefined): Promise<void> {
    if (!state || !this.#remembered) return;
    const { seen, ends, unlisted } = state;
    const before = this.#remembered.ends;
    const hashes = new Set(seen.map(([hash]) => hash));
    if (before?.some((end) => !hashes.has(end))) throw seen.length === 0 ? keysChanged() : missing();
    // A message that was encrypted here may never arrive, if this process ends before it was sent.
    const taken = ends.filter((end) => !unlisted.includes(end) || before?.includes(end));
    if (!before || taken.length > 0) await this.rememberEnds({ seen, ends: taken });
  }

  /** Remembers messages that the next client must find in the list. */
  async rememberEnds(state: Pick<ChannelState, 'seen' | 'ends'> | undefined): Promise<void> {
    if (!state || String(state.ends) === String(this.#remembered?.ends)) return;
    const { seen, ends } = state;
    const hashes = new Set(seen.map(([hash]) => hash));
    this.#remembered = { ...(this.#remembered as Remembered), ends };
    // What another client has sent since this one read the list stays: lists that are read from now on must have it.
    const change = (stored: readonly string[]) => [...ends, ...stored.filter((end) => !hashes.has(end))];
    await this.#requestMemory.changeEnds(this.#requestId, change);
  }
}

export const withoutRoot = (orElse = '') =>
  new RelayError('no_keys_yet', `This conversation is encrypted. Give the expert its \`root\`${orElse}.`);
