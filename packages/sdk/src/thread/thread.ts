import type { Claim } from '../crypto/channel.ts';
import { createQueue } from '../crypto/queue.ts';
import { isRefusal } from '../crypto/refusal.ts';
import type { Channel, ChannelState, SealedMessage } from '../crypto/wire.ts';
import type { Standing } from '../forms/decide.ts';
import type { RelayError } from '../relay-error.ts';
import { hasEnded } from '../request-state.ts';
import type { Api } from '../transport/api.ts';
import { unexpected } from '../transport/shape.ts';
import { orAbort } from '../transport/waiting.ts';
import { type FormState, FormTracker } from './form-tracker.ts';
import { ListedMessages } from './listed-messages.ts';
import { Mailbox } from './mailbox.ts';
import { ended, type ReadMessage } from './message.ts';
import { restoredParts } from './message-parts.ts';
import { type Head, type Page, readPages } from './page.ts';
import { hasNewer, nameShown, type Read, type Sealing, withOwn } from './shown.ts';
import type { Side } from './side.ts';

/** What a thread continues from. */
export interface ThreadState extends FormState {
  /** Of the last message that was read. */
  readonly seq: number;
  /** How many of the messages that were read are answers. */
  readonly answersRead?: number | undefined;
  readonly channel: ChannelState | undefined;
  /** The messages of the other side: their ids, and their hashes. */
  readonly others?: readonly (readonly [messageId: string, hash: string | undefined])[] | undefined;
  /** The ids of this side's messages that were listed. */
  readonly own?: readonly string[] | undefined;
  /** Messages that were read, and that the caller has not taken, or not processed yet. */
  readonly messages: readonly ReadMessage[];
}

/**
 * A list that was read less than this ago need not be read again before sending, since newer messages count as crossed, nor before
 * deciding by what it has brought.
 */
const freshForMs = 1_000;

export interface ThreadOptions {
  readonly api: Api;
  readonly requestId: string;
  readonly side: Side;
  /** Whether texts of this side wait to be encrypted: the other side cannot have seen them. */
  readonly hasDrafts: () => boolean;
  readonly state?: ThreadState | undefined;
  readonly channel?: Channel | undefined;
}

/**
 * One conversation, read from the gateway's list in order, each message once. `state` is consistent at any time, so
 * that it can be saved at any time.
 */
export class Thread {
  readonly requestId: string;
  readonly side: Side;
  readonly mailbox: Mailbox<ReadMessage>;
  readonly formTracker: FormTracker;
  readonly #api: Api;
  /** Decrypting and encrypting take turns, so that `#channelState` is always consistent. */
  readonly #inOrder = createQueue();
  readonly #reading = createQueue();
  readonly #listed: ListedMessages;
  // These maps and sets have ids in lower case, as those of texts that are sent here. Ids of the list and of callers are converted.
  readonly #others: Map<string, string | undefined>;
  readonly #own: Set<string>;
  readonly #fromDevices = new Map<string, string | undefined>();
  readonly #sealedHere = new Set<string>();
  #channel: Channel | undefined;
  #channelState: ChannelState | undefined;
  #lastSeq: number;
  #answersRead: number;
  #readAt = -freshForMs;
  #head: Head | undefined;
  #refusal: RelayError | undefined;

  constructor({ api, requestId, side, hasDrafts, state, channel }: ThreadOptions) {
    this.requestId = requestId;
    this.side = side;
    this.mailbox = new Mailbox(state?.messages);
    this.formTracker = new FormTracker(side, state);
    this.#api = api;
    this.#listed = new ListedMessages(side, hasDrafts);
    this.#others = new Map(state?.others);
    this.#own = new Set(state?.own);
    this.#channel = channel;
    this.#channelState = state?.channel;
    this.#lastSeq = state?.seq ?? 0;
    this.#answersRead = state?.answersRead ?? 0;
  }

  /** As last seen. */
  get head(): Head | undefined {
    return this.#head;
  }
  get channel(): Channel | undefined {
    return this.#channel;
  }
  get refusal(): RelayError | undefined {
    return this.#refusal;
  }
  get answersRead(): number {
    return this.#answersRead;
  }
  get state(): ThreadState {
    return {
      seq: this.#lastSeq,
      answersRead: this.#answersRead,
      channel: this.#channelState,
      others: [...this.#others],
      own: [...this.#own],
      ...this.formTracker.state,
      messages: [...this.mailbox.unprocessed, ...this.mailbox.messages],
    };
  }

  /** What was read. */
  get known(): Read {
    return {
      channel: this.#channel,
      state: this.#channelState,
      others: this.#others,
      fromDevices: this.#fromDevices,
    };
  }

  has(messageId: string): boolean {
    return this.#listed.has(messageId) || this.#own.has(messageId);
  }

  /** What the answers to the newest form amount to, if there is one. */
  standing(isRefused?: (messageId: string) => boolean): Standing | undefined {
    return this.formTracker.standing(this.known, isRefused);
  }

  /** Throws when the conversation has ended or was refused. */
  checkOpen(): void {
    if (this.#refusal) throw this.#refusal;
    if (this.#head && hasEnded(this.#head)) throw ended(this.#head.status);
  }

  refuse(error: RelayError): void {
    this.#refusal ??= error;
    this.mailbox.end(this.#refusal);
  }

  /** Reads new messages. */
  async read(signal?: AbortSignal): Promise<void> {
    // Before its turn, another call may go on for longer than this one may take.
    await orAbort(
      signal,
      this.#reading(() => this.#readToEnd(signal)),
    );
  }

  /** The same, unless a read that has ended began less than a second ago. */
  async readIfStale(signal?: AbortSignal): Promise<void> {
    // After running calls: they may be what makes another one superfluous.
    const reading = this.#reading(async () => {
      if (performance.now() - this.#readAt > freshForMs) await this.#readToEnd(signal);
    });
    await orAbort(signal, reading);
  }

  /** Continues with what the relay has accepted, keys or an end, without reading it back first. */
  async adopt(news: Partial<Head>): Promise<void> {
    // After running calls, whose answers may not have it yet.
    await this.#reading(async () => {
      if (!this.#head || (news.providerKeys && this.#channel)) return;
      const head = { ...this.#head, ...news };
      await this.#inOrder(() => this.#applyPage({ head, messages: [], next: undefined }));
    });
  }

  async #readToEnd(signal: AbortSignal | undefined): Promise<void> {
    await this.side.readStore?.();
    if (this.#refusal) throw this.#refusal;
    const startedAt = performance.now();
    const wanted = { requestId: this.requestId, after: this.#lastSeq, head: this.#head };
    for await (const page of readPages(this.#api, wanted, signal)) {
      await this.#inOrder(() => this.#applyPage(page));
      if (this.#refusal) throw this.#refusal;
    }
    this.#readAt = startedAt;
  }

  async #applyPage({ head, messages, next }: Page): Promise<void> {
    const { side, mailbox } = this;
    const opened: ReadMessage[] = [];
    let seq = this.#lastSeq;
    this.#head = side.isWithdrawn && !hasEnded(head) ? { ...head, status: 'closed' } : head;
    const isErased = head.erasedAt !== undefined;
    const noted = new Set<string | undefined>(this.#channelState?.unlisted);
    try {
      if (!isErased) this.#channel = await side.checkKeys(this.#head);
      // Decrypted in parallel, accepted in order.
      const openings = messages.map(
        (listed) => [listed.seq, this.#listed.begin(listed, this.#channel)] as const,
      );
      for (const [listedSeq, open] of openings) {
        opened.push(...(await open()));
        seq = Math.max(seq, listedSeq);
      }
      if (next === undefined && !isErased) await side.checkHistory?.(this.#channel?.state());
      // A list that repeats itself would never end.
      if (next !== undefined && opened.length === 0) unexpected('new messages');
    } catch (error) {
      if (isRefusal(error)) this.#refusal = error;
      throw error;
    } finally {
      this.#lastSeq = seq;
      this.#channelState = this.#channel?.state();
      for (const message of opened) this.#note(message, noted);
      mailbox.push(opened.filter((message) => side.isForCaller(message)));
      if (this.#refusal) mailbox.end(this.#refusal);
    }
    if (next === undefined && hasEnded(this.#head)) mailbox.end();
  }

  /** An agent's own forms count from the time when they were encrypted; those of another process when they are listed. */
  #note(message: ReadMessage, noted: ReadonlySet<string | undefined>): void {
    const { role, messageId, hash } = message;
    const { side } = this;
    const id = messageId.toLowerCase();
    if (role === 'provider') this.#answersRead += 1;
    if (role === 'provider' || !noted.has(hash)) this.formTracker.note(message);
    if (role !== side.role) this.#others.set(id, hash);
    else this.#own.add(id);
    if (role === side.role && side.hasDevices && !this.#sealedHere.has(id)) this.#fromDevices.set(id, hash);
  }

  /** Names what was shown when a text is written now: these messages, by default those taken from the mailbox, and those sent here. */
  nameShown(messageIds?: readonly string[]): readonly string[] {
    const waiting = this.mailbox.messages.map(({ messageId }) => messageId);
    const named = new Set((messageIds ?? waiting).map((messageId) => messageId.toLowerCase()));
    return nameShown(this.known, (messageId) => named.has(messageId) === (messageIds !== undefined));
  }

  /** Whether there are messages of the other side that are not among these, nor before one of these. */
  hasNewerThan(shown: readonly string[]): boolean {
    return hasNewer(this.known, shown);
  }

  /** Encrypts a text for the open channel. `onSealed` runs in the same step in which `state` changes, with what `claim` returned. */
  async seal(
    { messageId, text, parts, shown }: Sealing,
    claim: Claim,
    onSealed: (sealed: SealedMessage | null) => void,
  ): Promise<void> {
    await this.#inOrder(async () => {
      try {
        const channel = this.#channel as Channel;
        this.#sealedHere.add(messageId);
        const options = { messageId, shown: withOwn(this.known, shown), claim };
        const sealed = await channel.seal(text, { ...options, parts: restoredParts(parts) });
        const state = channel.state();
        this.#channelState = state;
        if (sealed && this.side.role === 'consumer') this.formTracker.noteOwn(state.seen.at(-1)?.[0], parts);
        onSealed(sealed);
      } catch (error) {
        if (isRefusal(error)) this.refuse(error);
        throw error;
      }
    });
  }

  /** Forgets the text that was encrypted last: later ones do not link to it. False if the relay or the other side has it. */
  async forget(messageId: string): Promise<boolean> {
    return await this.#inOrder(async () => {
      if (!this.#channel) return true;
      if (this.#listed.has(messageId) || !this.#channel.forgetLast()) return false;
      this.#sealedHere.delete(messageId);
      this.#channelState = this.#channel.state();
      return true;
    });
  }

  /** Marks the messages in the mailbox: they were written before this side's new text. */
  markUnseen(): void {
    this.mailbox.update((message) =>
      message.role === this.side.role ? message : { ...message, seenYourLast: false },
    );
  }
}
