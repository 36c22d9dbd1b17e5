import { inTurn } from '../crypto/channel/in-turn.ts';
import { hasCode } from '../relay-error.ts';
import { orAborted, throwIfAborted } from '../transport/aborted.ts';
import { type Api, isPassing } from '../transport/api.ts';
import { members } from '../transport/shape.ts';
import { checkText } from './check-text.ts';
import type { Thread } from './thread.ts';

/** A text that is to be sent. */
export interface Draft {
  readonly messageId: string;
  readonly text: string;
  /** Whether it may go out as plain text: where nobody has keys now, there may have been keys when it was written. */
  readonly isPlain?: boolean | undefined;
}

/** A text that may be on its way: it is sent as it is until the relay has answered. */
export interface Outgoing {
  readonly draft: Draft;
  readonly body: object;
  /** Whether another client sealed it, so that no message that is sealed here links to it. */
  readonly isOthers?: boolean | undefined;
}

export interface SenderState {
  readonly outgoing: Outgoing | undefined;
  readonly drafts: readonly Draft[];
}

/** Where texts are until the relay has them, shared with other clients of the same side. */
export interface Outbox {
  /** Keeps these, and forgets those that this client gave before. */
  save(unsent: readonly Draft[]): Promise<void>;
  /** Gives the content that any client has sealed first with this messageId; null if nothing must go out any more. */
  claim<T extends object>(messageId: string, sealed: T): Promise<T | null>;
}

export interface SenderOptions {
  readonly api: Api;
  readonly thread: Thread;
  /** Whether texts go out as they are. */
  readonly isPlain: () => boolean;
  /** Does what comes before sealing. */
  readonly prepare: (signal: AbortSignal | undefined) => Promise<void>;
  /** Keeps the state; what it kept may go out. */
  readonly save: () => Promise<void>;
  readonly outbox?: Outbox | undefined;
  readonly state?: SenderState | undefined;
}

/** Sends the texts of one side, one after another, each exactly once whatever happens in between. */
export interface Sender {
  readonly state: SenderState;
  readonly unsent: readonly string[];
  /** Whether texts wait to be sealed. */
  readonly hasDrafts: boolean;
  /** Whether there is something that could go out now. */
  readonly isDue: boolean;
  /** Gives whether the text has gone out. `onKept` is called once it is in the outbox. */
  send(
    text: string,
    signal: AbortSignal | undefined,
    onKept?: () => void,
  ): Promise<{ readonly messageId: string; readonly isSent: boolean }>;
  /** Sends whatever can be sent by now. */
  flush(signal?: AbortSignal): Promise<void>;
  /** Keeps in the outbox what has not gone out. */
  keep(): Promise<void>;
  /** Takes out what will not go out by itself: everything after the end, before it what nobody has sealed. */
  discard(): Promise<readonly string[]>;
}

export function createSender(options: SenderOptions): Sender {
  const { api, thread, isPlain, prepare, save, outbox, state } = options;
  const { role } = thread.side;
  const queue = inTurn();
  let drafts = state?.drafts ?? [];
  let outgoing = state?.outgoing;
  /** Those that the relay has refused for what they are. */
  let refused: readonly Draft[] = [];

  // The list may show a message before the call that sent it is answered, if it ever is.
  const unsent = () =>
    [...(outgoing ? [outgoing.draft] : []), ...refused, ...drafts].filter(
      ({ messageId }) => !thread.has(messageId),
    );
  const texts = () => unsent().map(({ text }) => text);
  const keep = async () => outbox?.save(unsent());

  function canSeal(): boolean {
    const [draft] = drafts;
    return draft !== undefined && (isPlain() ? draft.isPlain !== false : thread.channel !== undefined);
  }

  // An expert need not wait for keys, but sends them.
  const isDue = () => outgoing !== undefined || (drafts.length > 0 && (role === 'provider' || canSeal()));

  function drop(draft: Draft): void {
    drafts = drafts.filter((one) => one !== draft);
    refused = refused.filter((one) => one !== draft);
  }

  async function seal(draft: Draft): Promise<void> {
    const { messageId, text } = draft;
    let isOthers = false;
    const claim = async <T extends object>(sealed: T) => {
      const first = outbox ? await outbox.claim(messageId, sealed) : sealed;
      isOthers = first !== sealed;
      return first as T;
    };
    const take = (sealed: object | null) => {
      drop(draft);
      outgoing = sealed ? { draft, body: { role, ...sealed }, isOthers } : undefined;
    };
    thread.checkOpen();
    if (isPlain()) take(await claim({ messageId, plaintext: text }));
    else await thread.seal(text, messageId, claim, take);
  }

  async function post(signal: AbortSignal | undefined): Promise<void> {
    if (!outgoing) return;
    const { draft, body, isOthers } = outgoing;
    try {
      await api.post(`/api/v1/message/${thread.requestId}`, body, members, signal);
    } catch (error) {
      // What is refused for what it is would hold up all others. What was sealed here stays: others link to it.
      if (
        ('plaintext' in body || isOthers) &&
        hasCode(error, 'invalid_input', 'message_too_large', 'conflict')
      ) {
        if (outbox) refused = [...refused, draft];
        outgoing = undefined;
      }
      throw error;
    }
    outgoing = undefined;
    // What is sealed next links to it.
    if (isOthers) await thread.read(signal);
  }

  async function flush(signal?: AbortSignal, onKept?: () => void): Promise<void> {
    await keep();
    if (outbox) onKept?.();
    await queue(async () => {
      if (thread.refusal) throw thread.refusal;
      // A client that comes back may have been refused something: nothing goes out before it has looked.
      if (isDue() && !thread.head) await thread.read(signal);
      if (drafts.length > 0) await prepare(signal);
      await post(signal);
      while (canSeal()) {
        throwIfAborted(signal);
        await seal(drafts[0] as Draft);
        await save();
        await post(signal);
      }
      await save();
      await keep();
    });
  }

  return {
    get state() {
      return { outgoing, drafts };
    },
    get unsent() {
      return texts();
    },
    get hasDrafts() {
      return drafts.length > 0;
    },
    get isDue() {
      return isDue();
    },
    async send(text, signal, onKept) {
      checkText(text, isPlain());
      throwIfAborted(signal);
      thread.checkOpen();
      const draft = { messageId: crypto.randomUUID(), text, isPlain: isPlain() };
      drafts = [...drafts, draft];
      thread.outdate();
      try {
        await orAborted<void>(signal, (resolve, reject) => {
          // What was begun goes on by itself.
          flush(signal, onKept).then(resolve, reject);
          return () => {};
        });
      } catch (error) {
        // The caller has the text again, unless it goes out later by itself.
        if (signal?.aborted || (role === 'provider' && !isPassing(error))) {
          drop(draft);
          await keep();
        }
        throw error;
      }
      return { messageId: draft.messageId, isSent: !unsent().includes(draft) };
    },
    flush: (signal) => flush(signal),
    keep,
    discard: () =>
      queue(async () => {
        const before = texts();
        if (thread.mailbox.hasEnded) outgoing = undefined;
        refused = drafts = [];
        await keep();
        return before.slice(unsent().length);
      }),
  };
}
