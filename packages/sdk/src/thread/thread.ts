import { toBase64 } from '../crypto/base64.ts';
import { sha256, toUtf8 } from '../crypto/bytes.ts';
import type { Claim } from '../crypto/channel.ts';
import { mayShowPlaintext } from '../crypto/plaintext.ts';
import { createQueue } from '../crypto/queue.ts';
import { isRefusal } from '../crypto/refusal.ts';
import type { Channel, ChannelState, Role, SealedMessage } from '../crypto/wire.ts';
import type { Standing } from '../forms/decide.ts';
import { RelayError } from '../relay-error.ts';
import { hasEnded } from '../request-state.ts';
import type { Api } from '../transport/api.ts';
import { isObject, textOf, unexpected } from '../transport/shape.ts';
import { orAbort } from '../transport/waiting.ts';
import { createFormTracker, type FormState, type FormTracker } from './form-tracker.ts';
import { createMailbox, type Mailbox } from './mailbox.ts';
import { beginRecord, ended, type ReadMessage } from './message.ts';
import { restoredParts } from './message-parts.ts';
import { type Head, type Listed, type Page, readPage } from './page.ts';
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
/** Messages per call. Relays end a page before it is too large; for those that do not, the size is reduced. */
const pageSize = 1_000;
/** Such a page is never too large: each message, and the rest of the answer, take at most 1 MiB. */
const smallPageSize = 6;
/** All characters, and 1,000 more for each message. A relay allows 64 MiB in 10,000 messages. */
const maxTotalLength = 1e8;

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
export interface Thread {
  readonly requestId: string;
  readonly side: Side;
  readonly mailbox: Mailbox<ReadMessage>;
  /** As last seen. */
  readonly head: Head | undefined;
  readonly channel: Channel | undefined;
  readonly refusal: RelayError | undefined;
  readonly answersRead: number;
  readonly formTracker: FormTracker;
  readonly state: ThreadState;
  /** What the answers to the newest form amount to, if there is one. */
  standing(isRefused?: (messageId: string) => boolean): Standing | undefined;
  /** Throws when the conversation has ended or was refused. */
  checkOpen(): void;
  known(): Read;
  has(messageId: string): boolean;
  /** Reads new messages. */
  read(signal?: AbortSignal): Promise<void>;
  /** The same, unless a read that has ended began less than a second ago. */
  readIfStale(signal?: AbortSignal): Promise<void>;
  /** Continues with what the relay has accepted, keys or an end, without reading it back first. */
  adopt(news: Partial<Head>): Promise<void>;
  /** Names what was shown when a text is written now: these messages, by default those taken from the mailbox, and those sent here. */
  nameShown(messageIds?: readonly string[]): readonly string[];
  /** Whether there are messages of the other side that are not among these, nor before one of these. */
  hasNewerThan(shown: readonly string[]): boolean;
  /** Encrypts a text for the open channel. `onSealed` runs in the same step in which `state` changes, with what `claim` returned. */
  seal(text: Sealing, claim: Claim, onSealed: (sealed: SealedMessage | null) => void): Promise<void>;
  /** Forgets the text that was encrypted last: later ones do not link to it. False if the relay or the other side has it. */
  forget(messageId: string): Promise<boolean>;
  /** Marks the messages in the mailbox: they were written before this side's new text. */
  markUnseen(): void;
  refuse(error: RelayError): void;
}

export function createThread(options: ThreadOptions): Thread {
  const { api, requestId, side, hasDrafts, state } = options;
  const mailbox = createMailbox(state?.messages);
  /** Decrypting and encrypting take turns, so that `channelState` is always consistent. */
  const inOrder = createQueue();
  const reading = createQueue();
  // These maps and sets have ids in lower case, as those of texts that are sent here. Ids of the list and of callers are converted.
  /** A digest of the content by messageId, to recognize repeated messages. */
  const contents = new Map<string, string>();
  const others = new Map(state?.others);
  const own = new Set(state?.own);
  const fromDevices = new Map<string, string | undefined>();
  const sealedHere = new Set<string>();
  const formTracker = createFormTracker(side, state);
  let { channel } = options;
  let channelState = state?.channel;
  let lastSeq = state?.seq ?? 0;
  let answersRead = state?.answersRead ?? 0;
  let totalLength = 0;
  let readAt = -freshForMs;
  let head: Head | undefined;
  let refusal: RelayError | undefined;

  async function readToEnd(signal: AbortSignal | undefined): Promise<void> {
    await side.recall?.();
    const startedAt = performance.now();
    let limit = pageSize;
    for (let isLast = false; !isLast; ) {
      if (refusal) throw refusal;
      const after = lastSeq;
      const path = `/api/v1/messages/${requestId}?after=${after}&limit=${limit}`;
      try {
        const page = await api.get(path, (answer) => readPage(answer, { requestId, after, head }), signal);
        await inOrder(() => applyPage(page));
        isLast = page.next === undefined;
      } catch (error) {
        if (limit <= smallPageSize || !RelayError.is(error, 'answer_too_large')) throw error;
        limit >>= 2;
      }
    }
    readAt = startedAt;
  }

  async function applyPage({ head: newHead, messages, next }: Page): Promise<void> {
    const opened: ReadMessage[] = [];
    let seq = lastSeq;
    head = side.hasClosed && !hasEnded(newHead) ? { ...newHead, status: 'closed' } : newHead;
    const isErased = head.erasedAt !== undefined;
    const noted = new Set<string | undefined>(channelState?.unlisted);
    try {
      if (!isErased) channel = await side.checkKeys(head);
      // Decrypted in parallel, accepted in order.
      const openings = messages.map((listed) => [listed.seq, begin(listed)] as const);
      for (const [listedSeq, open] of openings) {
        opened.push(...(await open()));
        seq = Math.max(seq, listedSeq);
      }
      if (next === undefined && !isErased) await side.checkHistory?.(channel?.state());
      // A list that repeats itself would never end.
      if (next !== undefined && opened.length === 0) unexpected('new messages');
    } catch (error) {
      if (isRefusal(error)) refusal = error;
      throw error;
    } finally {
      lastSeq = seq;
      answersRead += opened.filter(({ role }) => role === 'provider').length;
      channelState = channel?.state();
      for (const message of opened) {
        const { role, messageId, link: hash } = message;
        const id = messageId.toLowerCase();
        // An agent's own forms count from the time when they were encrypted; those of another process when they are listed.
        if (role === 'provider' || !noted.has(hash)) formTracker.note(message);
        if (role !== side.role) others.set(id, hash);
        else own.add(id);
        if (role === side.role && side.hasDevices && !sealedHere.has(id)) fromDevices.set(id, hash);
      }
      mailbox.push(opened.filter((message) => side.isForCaller(message)));
      if (refusal) mailbox.end(refusal);
    }
    if (next === undefined && hasEnded(head)) mailbox.end();
  }

  /** A message that was read already is skipped if it is equal to the byte. A changed one is opened, and then refused. */
  function begin({ record, createdAt }: Listed): () => Promise<ReadMessage[]> {
    const { messageId, role, encrypted, signature, plaintext, answer } = record;
    const { iv, ciphertext, tag, ephemeralPublicKey } = isObject(encrypted) ? encrypted : {};
    const members = [role, iv, ciphertext, tag, ephemeralPublicKey, signature, plaintext, answer];
    // Only strings: anything else is refused below, and JSON may be nested too deeply to be written.
    const content = toUtf8(JSON.stringify(members.map(textOf)));
    const id = textOf(messageId)?.toLowerCase() ?? '';
    const hashing = sha256(content).then(toBase64);
    const open = beginRecord(record, channel, mayBePlain, side.agentSentKeys ? undefined : side.form?.of);
    return async () => {
      const digest = await hashing;
      if (contents.get(id) === digest) return [];
      const message = await open();
      side.check?.(message);
      contents.set(id, digest);
      totalLength += message.text.length + 1_000;
      for (const { body } of message.parts ?? []) totalLength += body.length;
      if (totalLength > maxTotalLength) unexpected('a shorter list');
      const isOutdated = message.role !== side.role && hasDrafts();
      return [{ ...message, createdAt, ...(isOutdated && { seenYourLast: false }) }];
    };
  }

  const known = () => ({ channel, state: channelState, others, fromDevices });

  function refuse(error: RelayError): void {
    refusal ??= error;
    mailbox.end(refusal);
  }

  const mayBePlain = (author: Role) =>
    mayShowPlaintext({
      reader: side.role,
      author,
      agentSentKeys: side.agentSentKeys,
      acceptUnprotected: side.acceptUnprotected,
    });

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
    formTracker,
    known,
    standing: (isRefused) => formTracker.standing(known(), isRefused),
    get state() {
      const messages = [...mailbox.unprocessed, ...mailbox.messages];
      const read = { seq: lastSeq, answersRead, channel: channelState, others: [...others], own: [...own] };
      return { ...read, ...formTracker.state, messages };
    },
    checkOpen() {
      if (refusal) throw refusal;
      if (head && hasEnded(head)) throw ended(head.status);
    },
    has: (messageId) => contents.has(messageId) || own.has(messageId),
    // Before its turn, another call may go on for longer than this one may take.
    read: (signal) =>
      orAbort(
        signal,
        reading(() => readToEnd(signal)),
      ),
    readIfStale: (signal) =>
      orAbort(
        signal,
        // After running calls: they may be what makes another one superfluous.
        reading(async () => {
          if (performance.now() - readAt > freshForMs) await readToEnd(signal);
        }),
      ),
    adopt: (news) =>
      // After running calls, whose answers may not have it yet.
      reading(async () => {
        if (!head || (news.providerKeys && channel)) return;
        const adopted = { ...head, ...news };
        await inOrder(() => applyPage({ head: adopted, messages: [], next: undefined }));
      }),
    nameShown(messageIds) {
      const waiting = mailbox.messages.map(({ messageId }) => messageId);
      const named = new Set((messageIds ?? waiting).map((messageId) => messageId.toLowerCase()));
      return nameShown(known(), (messageId) => named.has(messageId) === (messageIds !== undefined));
    },
    hasNewerThan: (shown) => hasNewer(known(), shown),
    seal: ({ messageId, text, parts, shown }, claim, onSealed) =>
      inOrder(async () => {
        try {
          const sealer = channel as Channel;
          sealedHere.add(messageId);
          const options = { messageId, shown: withOwn(known(), shown), claim };
          const sealed = await sealer.seal(text, { ...options, parts: restoredParts(parts) });
          channelState = sealer.state();
          if (sealed && side.role === 'consumer') formTracker.noteOwn(channelState.seen.at(-1)?.[0], parts);
          onSealed(sealed);
        } catch (error) {
          if (isRefusal(error)) refuse(error);
          throw error;
        }
      }),
    forget: (messageId) =>
      inOrder(async () => {
        if (!channel) return true;
        if (contents.has(messageId) || !channel.forgetLast()) return false;
        sealedHere.delete(messageId);
        channelState = channel.state();
        return true;
      }),
    markUnseen() {
      mailbox.update((message) =>
        message.role === side.role ? message : { ...message, seenYourLast: false },
      );
    },
    refuse,
  };
}
