import { toBase64 } from '../crypto/bytes/base64.ts';
import { sha256 } from '../crypto/bytes/sha256.ts';
import { toUtf8 } from '../crypto/bytes/utf8.ts';
import { inTurn } from '../crypto/channel/in-turn.ts';
import type { Channel, ChannelState, Role } from '../crypto/index.ts';
import type { RelayError } from '../relay-error.ts';
import { hasEnded } from '../request-state.ts';
import type { Api } from '../transport/api.ts';
import { isObject, unexpected } from '../transport/shape.ts';
import { Mailbox } from './mailbox.ts';
import { type Message, openRecord } from './message.ts';
import { type Head, type Listed, type Page, readPage } from './page.ts';
import { ended, isRefusal } from './refusals.ts';

/** What differs between the two sides of a conversation. */
export interface Side {
  readonly role: Role;
  /** Whether plain text of the other side is shown while there are no keys. */
  takesPlaintext(): Promise<boolean>;
  /** Which messages are handed out. */
  isShown(message: Message): boolean;
  /** Looks at the keys that the relay shows: gives the channel once there are keys of both sides. */
  agree(head: Head): Promise<Channel | undefined>;
  /** Looks at what is known once the list was read to its end. */
  settle?(state: ChannelState | undefined): Promise<void>;
}

/** Where a thread was left. */
export interface ThreadState {
  /** The last message that was read. */
  readonly seq: number;
  /** How many of the messages that were read are answers. */
  readonly answersRead?: number | undefined;
  readonly channel: ChannelState | undefined;
  /** Read, and not handed out yet. */
  readonly messages: readonly Message[];
}

/** How long a list is as good as a new one, in milliseconds: what comes within it crosses, whichever way. */
const moment = 1_000;
/** Messages per call, halved after an answer that was too large. */
const pageSize = 50;
/** Never too large in an honest answer: a message takes at most 1 MiB, and so do the members before the messages. */
const smallPageSize = 6;
/** Characters of all messages, and 1,000 for each: a conversation holds up to 64 MiB in 10,000 messages. */
const longest = 1e8;

/**
 * One conversation, read from the gateway's list in order, each message once. What was read becomes visible at
 * once with all that belongs to it, so that it can be kept at any moment.
 */
export class Thread {
  readonly requestId: string;
  readonly side: Side;
  readonly mailbox: Mailbox<Message>;
  /** Opening and sealing take turns, so that `channelState` is never in between. */
  readonly turn = inTurn();
  readonly #api: Api;
  readonly #hasDrafts: () => boolean;
  readonly #reading = inTurn();
  /** Content by messageId, to know a repetition by. */
  readonly #known = new Map<string, string>();
  #length = 0;
  #seq: number;
  #answersRead: number;
  #readAt = Number.NEGATIVE_INFINITY;
  #channel: Channel | undefined;
  #channelState: ChannelState | undefined;
  #head: Head | undefined;
  #refusal: RelayError | undefined;

  constructor(options: {
    api: Api;
    requestId: string;
    side: Side;
    /** Whether texts of this side wait to be sealed: the other side cannot have seen them. */
    hasDrafts: () => boolean;
    state?: ThreadState | undefined;
    channel?: Channel | undefined;
  }) {
    const { api, requestId, side, hasDrafts, state, channel } = options;
    this.requestId = requestId;
    this.side = side;
    this.#api = api;
    this.#hasDrafts = hasDrafts;
    this.#channel = channel;
    this.#channelState = state?.channel;
    this.#seq = state?.seq ?? 0;
    this.#answersRead = state?.answersRead ?? 0;
    this.mailbox = new Mailbox(state?.messages);
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
      seq: this.#seq,
      answersRead: this.#answersRead,
      channel: this.#channelState,
      messages: this.mailbox.messages.slice(),
    };
  }

  /** Fails when nothing can be said here any more. */
  checkOpen(): void {
    if (this.#refusal) throw this.#refusal;
    if (this.#head && hasEnded(this.#head)) throw ended(this.#head.status);
  }

  /** Reads what is new. */
  read(signal?: AbortSignal): Promise<void> {
    return this.#reading(async () => {
      const begun = performance.now();
      let limit = pageSize;
      for (let isLast = false; !isLast; ) {
        if (this.#refusal) throw this.#refusal;
        const after = this.#seq;
        const path = `/api/v1/messages/${this.requestId}?after=${after}&limit=${limit}`;
        try {
          const page = await this.#api.get(path, (answer) => this.#check(readPage(answer), after), signal);
          await this.turn(() => this.#take(page));
          isLast = page.next === undefined;
        } catch (error) {
          if (limit <= smallPageSize || (error as RelayError).code !== 'answer_too_large') throw error;
          limit >>= 1;
        }
      }
      this.#readAt = begun;
    });
  }

  /** The same, unless it was done a moment ago. */
  async catchUp(signal?: AbortSignal): Promise<void> {
    if (performance.now() - this.#readAt > moment) await this.read(signal);
  }

  /** Goes on with keys that the relay has taken, and need not show first. */
  adopt(exchange: Pick<Head, 'providerKeys' | 'keySignature'>): Promise<void> {
    // After calls that may be answered without them.
    return this.#reading(async () => {
      const head = this.#head;
      if (!head || this.#channel) return;
      await this.turn(() => this.#take({ head: { ...head, ...exchange }, messages: [], next: undefined }));
    });
  }

  /** Seals a text, and tells what to keep in the same moment. */
  seal(channel: Channel, text: string, messageId: string, onSealed: (body: object) => void): Promise<void> {
    return this.turn(async () => {
      const sealed = await channel.seal(text, messageId);
      this.#channelState = channel.state();
      onSealed({ role: this.side.role, ...sealed });
    });
  }

  /** What was read before this side writes a text has not seen that text. */
  outdate(): void {
    const { role } = this.side;
    this.mailbox.update((message) => (message.role === role ? message : { ...message, seenYourLast: false }));
  }

  refuse(error: RelayError): void {
    this.#refusal ??= error;
    this.mailbox.end(this.#refusal);
  }

  #check(page: Page, after: number): Page {
    if (page.head.requestId !== this.requestId) unexpected('the request that was asked for');
    const last = page.messages.at(-1)?.seq ?? after;
    if (page.next !== undefined && (page.next <= after || page.next !== last))
      unexpected('a list that goes on');
    return page;
  }

  async #take({ head, messages, next }: Page): Promise<void> {
    const opened: Message[] = [];
    let seq = this.#seq;
    this.#head = head;
    try {
      if (head.erasedAt === undefined) this.#channel = await this.side.agree(head);
      for (const listed of messages) {
        opened.push(...(await this.#open(listed)));
        seq = Math.max(seq, listed.seq);
      }
      if (next === undefined && head.erasedAt === undefined) await this.side.settle?.(this.#channel?.state());
      // The same over and over would never end.
      if (next !== undefined && opened.length === 0) unexpected('a list that goes on');
    } catch (error) {
      if (isRefusal(error)) this.#refusal = error;
      throw error;
    } finally {
      this.#commit(opened, seq);
    }
    if (next === undefined && hasEnded(head)) this.mailbox.end();
  }

  /** A message that is known already, to the byte, is no news; in another place or altered it is opened, and refused. */
  async #open({ record, createdAt }: Listed): Promise<Message[]> {
    const { messageId, role, encrypted, signature, plaintext } = record;
    const { iv, ciphertext, tag, ephemeralPublicKey } = isObject(encrypted) ? encrypted : {};
    const members = [role, iv, ciphertext, tag, ephemeralPublicKey, signature, plaintext];
    // Texts alone: anything else is refused below, and may be nested too deep to be written.
    const content = toUtf8(JSON.stringify(members.map((one) => (typeof one === 'string' ? one : null))));
    const id = typeof messageId === 'string' ? messageId.toLowerCase() : '';
    const hashing = sha256(content).then(toBase64);
    const known = this.#known.get(id);
    if (known !== undefined && known === (await hashing)) return [];
    const opening = openRecord(record, this.#channel, () => this.side.takesPlaintext());
    const [message, digest] = await Promise.all([opening, hashing]);
    this.#known.set(id, digest);
    this.#length += message.text.length + 1_000;
    if (this.#length > longest) unexpected('a shorter list');
    const isOutdated = message.role !== this.side.role && this.#hasDrafts();
    return [{ ...message, createdAt, ...(isOutdated && { seenYourLast: false }) }];
  }

  #commit(opened: readonly Message[], seq: number): void {
    this.#seq = seq;
    this.#answersRead += opened.filter(({ role }) => role === 'provider').length;
    this.#channelState = this.#channel?.state();
    this.mailbox.push(opened.filter((message) => this.side.isShown(message)));
    if (this.#refusal) this.mailbox.end(this.#refusal);
  }
}
