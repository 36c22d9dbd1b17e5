import { toBase64 } from '../crypto/bytes/base64.ts';
import { sha256 } from '../crypto/bytes/sha256.ts';
import { toUtf8 } from '../crypto/bytes/utf8.ts';
import { inTurn } from '../crypto/channel/in-turn.ts';
import type { Channel, ChannelState, Claim, Role, SealedMessage } from '../crypto/index.ts';
import { isRefusal } from '../crypto/refusal.ts';
import type { RelayError } from '../relay-error.ts';
import { hasEnded } from '../request-state.ts';
import type { Api } from '../transport/api.ts';
import { isObject, textOf, unexpected } from '../transport/shape.ts';
import { createMailbox, type Mailbox } from './mailbox.ts';
import { beginRecord, type Message } from './message.ts';
import { type Head, type Listed, type Page, readPage } from './page.ts';
import { ended } from './refusals.ts';

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
/** Messages per call. A relay ends a page before it is too large; those that do not are asked for less. */
const pageSize = 1_000;
/** Never too large in an honest answer: a message takes at most 1 MiB, and so do the members before the messages. */
const smallPageSize = 6;
/** Characters of all messages, and 1,000 for each: a conversation holds up to 64 MiB in 10,000 messages. */
const longest = 1e8;

export interface ThreadOptions {
  readonly api: Api;
  readonly requestId: string;
  readonly side: Side;
  /** Whether texts of this side wait to be sealed: the other side cannot have seen them. */
  readonly hasDrafts: () => boolean;
  readonly state?: ThreadState | undefined;
  readonly channel?: Channel | undefined;
}

/**
 * One conversation, read from the gateway's list in order, each message once. What was read becomes visible at
 * once with all that belongs to it, so that it can be kept at any moment.
 */
export interface Thread {
  readonly requestId: string;
  readonly side: Side;
  readonly mailbox: Mailbox<Message>;
  /** As last seen. */
  readonly head: Head | undefined;
  readonly channel: Channel | undefined;
  readonly refusal: RelayError | undefined;
  readonly answersRead: number;
  readonly state: ThreadState;
  /** Fails when nothing can be said here any more. */
  checkOpen(): void;
  /** Whether this message was read. */
  has(messageId: string): boolean;
  /** Reads what is new. */
  read(signal?: AbortSignal): Promise<void>;
  /** The same, unless it was done a moment ago. */
  catchUp(signal?: AbortSignal): Promise<void>;
  /** Goes on with keys that the relay has taken, and need not show first. */
  adopt(exchange: Pick<Head, 'providerKeys' | 'keySignature'>): Promise<void>;
  /** Seals a text for a channel that is there, and gives `onSealed` what to keep in the same moment. */
  seal(
    text: string,
    messageId: string,
    claim: Claim,
    onSealed: (sealed: SealedMessage) => void,
  ): Promise<void>;
  /** What was read before this side writes a text has not seen that text. */
  outdate(): void;
  refuse(error: RelayError): void;
}

export function createThread(options: ThreadOptions): Thread {
  const { api, requestId, side, hasDrafts, state } = options;
  const mailbox = createMailbox(state?.messages);
  /** Opening and sealing take turns, so that `channelState` is never in between. */
  const inOrder = inTurn();
  const reading = inTurn();
  /** Content by messageId, to know a repetition by. */
  const known = new Map<string, string>();
  let { channel } = options;
  let channelState = state?.channel;
  let lastSeq = state?.seq ?? 0;
  let answersRead = state?.answersRead ?? 0;
  let totalLength = 0;
  let readAt = -moment;
  let head: Head | undefined;
  let refusal: RelayError | undefined;

  const read = (signal?: AbortSignal) =>
    reading(async () => {
      const begun = performance.now();
      let limit = pageSize;
      for (let isLast = false; !isLast; ) {
        if (refusal) throw refusal;
        const after = lastSeq;
        const path = `/api/v1/messages/${requestId}?after=${after}&limit=${limit}`;
        try {
          const page = await api.get(path, (answer) => check(readPage(answer, head), after), signal);
          await inOrder(() => take(page));
          isLast = page.next === undefined;
        } catch (error) {
          if (limit <= smallPageSize || (error as RelayError).code !== 'answer_too_large') throw error;
          limit >>= 2;
        }
      }
      readAt = begun;
    });

  function check(page: Page, after: number): Page {
    if (page.head.requestId !== requestId) unexpected('the request that was asked for');
    const last = page.messages.at(-1)?.seq ?? after;
    if (page.next !== undefined && (page.next <= after || page.next !== last))
      unexpected('a list that goes on');
    return page;
  }

  async function take({ head: shown, messages, next }: Page): Promise<void> {
    const opened: Message[] = [];
    let seq = lastSeq;
    head = shown;
    const isErased = head.erasedAt !== undefined;
    try {
      if (!isErased) channel = await side.agree(head);
      // Decrypted at the same time, taken in one after another.
      const openings = messages.map((listed) => [listed.seq, begin(listed)] as const);
      for (const [listedSeq, open] of openings) {
        opened.push(...(await open()));
        seq = Math.max(seq, listedSeq);
      }
      if (next === undefined && !isErased) await side.settle?.(channel?.state());
      // The same over and over would never end.
      if (next !== undefined && opened.length === 0) unexpected('a list that goes on');
    } catch (error) {
      if (isRefusal(error)) refusal = error;
      throw error;
    } finally {
      lastSeq = seq;
      answersRead += opened.filter(({ role }) => role === 'provider').length;
      channelState = channel?.state();
      mailbox.push(opened.filter((message) => side.isShown(message)));
      if (refusal) mailbox.end(refusal);
    }
    if (next === undefined && hasEnded(head)) mailbox.end();
  }

  /** A message that is known already, to the byte, is no news; in another place or altered it is opened, and refused. */
  function begin({ record, createdAt }: Listed): () => Promise<Message[]> {
    const { messageId, role, encrypted, signature, plaintext } = record;
    const { iv, ciphertext, tag, ephemeralPublicKey } = isObject(encrypted) ? encrypted : {};
    const members = [role, iv, ciphertext, tag, ephemeralPublicKey, signature, plaintext];
    // Texts alone: anything else is refused below, and may be nested too deep to be written.
    const content = toUtf8(JSON.stringify(members.map(textOf)));
    const id = textOf(messageId)?.toLowerCase() ?? '';
    const hashing = sha256(content).then(toBase64);
    const open = beginRecord(record, channel, () => side.takesPlaintext());
    return async () => {
      const digest = await hashing;
      if (known.get(id) === digest) return [];
      const message = await open();
      known.set(id, digest);
      totalLength += message.text.length + 1_000;
      if (totalLength > longest) unexpected('a shorter list');
      const isOutdated = message.role !== side.role && hasDrafts();
      return [{ ...message, createdAt, ...(isOutdated && { seenYourLast: false }) }];
    };
  }

  return {
    requestId,
    side,
    mailbox,
    get head() {
      return head;
    },
    get channel() {
      return channel;
    },
    get refusal() {
      return refusal;
    },
    get answersRead() {
      return answersRead;
    },
    get state() {
      return { seq: lastSeq, answersRead, channel: channelState, messages: mailbox.messages.slice() };
    },
    checkOpen() {
      if (refusal) throw refusal;
      if (head && hasEnded(head)) throw ended(head.status);
    },
    has: (messageId) => known.has(messageId),
    read,
    async catchUp(signal) {
      if (performance.now() - readAt > moment) await read(signal);
    },
    adopt: (exchange) =>
      // After calls that may be answered without them.
      reading(async () => {
        if (!head || channel) return;
        const adopted = { ...head, ...exchange };
        await inOrder(() => take({ head: adopted, messages: [], next: undefined }));
      }),
    seal: (text, messageId, claim, onSealed) =>
      inOrder(async () => {
        const sealer = channel as Channel;
        const sealed = await sealer.seal(text, messageId, claim);
        channelState = sealer.state();
        onSealed(sealed);
      }),
    outdate() {
      mailbox.update((message) =>
        message.role === side.role ? message : { ...message, seenYourLast: false },
      );
    },
    refuse(error) {
      refusal ??= error;
      mailbox.end(refusal);
    },
  };
}
