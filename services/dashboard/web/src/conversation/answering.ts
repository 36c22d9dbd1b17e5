import { RelayError } from '@expert-relay/sdk';
import { hasEnded, isRefusal } from '@expert-relay/sdk/internal';
import type { Store } from '../ui/store.ts';
import { type AnswerContent, contentOf } from './answer-content.ts';
import type {
  ConversationExpert,
  ConversationState,
  PendingAnswer,
  RequestHandle,
} from './conversation-state.ts';
import { codeIn, codeOf, type FailureCode } from './failure-codes.ts';
import { createRetry } from './retry.ts';
import { shownMessages } from './shown-texts.ts';
import type { Undo } from './undo.ts';

interface AnsweringOptions {
  readonly requestId: string;
  readonly state: Store<ConversationState>;
  /** Resolves once the request was read with the current expert key, and rejects without one where it has to be picked up. */
  readonly untilCanSend: () => Promise<RequestHandle>;
  /** The request, if it was read. */
  readonly request: () => RequestHandle | undefined;
  /** Copies the state of the request into the store, and calls `updateAnswers`. */
  readonly refreshView: () => void;
  /** Reads the request again: another tab has changed what waits. */
  readonly readAgain: () => void;
  /** Whose store has what waits, also for a request that is gone. */
  readonly expert: () => ConversationExpert | undefined;
  /** Begins the time in which a decision can be taken back. */
  readonly createUndo?: ((requestId: string) => Undo) | undefined;
}

/** For how long a decision waits for its request to be read. */
const maxReadingMs = 60_000;
/** What takes longer to send stands in place of the text box, and can be taken back. */
const slowMs = 3_000;

/**
 * The answers of one conversation from "Send" until the list of messages has them, one at a time. The SDK stores and sends them: what
 * it has as pending is what the page shows.
 */
export function createAnswering(options: AnsweringOptions) {
  const { requestId, state, untilCanSend, refreshView, readAgain, expert } = options;
  /** What this tab is sending. */
  let sending: Sending | undefined;
  /** Answers take turns. */
  let last: Promise<unknown> = Promise.resolve();

  const change = (changes: Partial<ConversationState>) => state.set({ ...state.get(), ...changes });

  /** Updates the answers from the messages and from the request. */
  function updateAnswers(request: RequestHandle): void {
    const { pending: before, sent, messages } = state.get();
    const listed = new Set(messages.map(({ messageId }) => messageId));
    const [stored] = request.pending;
    const now = answerBeingSent() ?? (stored && showStoredAnswer(stored));
    const pending = now && !listed.has(now.messageId) ? now : undefined;
    if (!isSame(before, pending)) change({ pending });
    const unlisted = sent.filter(({ messageId }) => !listed.has(messageId));
    if (unlisted.length < sent.length) change({ sent: unlisted });
    if (pending?.state === 'waiting' && !sending && !hasEnded(request)) retry.later();
    else retry.cancel();
  }

  function answerBeingSent(): PendingAnswer | undefined {
    if (!sending) return undefined;
    if (sending.undo?.isPossible) return { ...sending.answer, canUndo: true };
    const isSlow = performance.now() - sending.since > slowMs;
    return isSlow ? { ...sending.answer, state: 'waiting' } : sending.answer;
  }

  /** Sends again what waits. The SDK does so after an event; this is sooner, and also while the conversation is not shown. */
  async function sendWaiting(): Promise<void> {
    try {
      await options.request()?.refresh();
    } finally {
      refreshView();
    }
  }
  const retry = createRetry(sendWaiting);

  async function deliver(answer: PendingAnswer, { undo, ...sendOptions }: DeliverOptions): Promise<void> {
    const stop = new AbortController();
    const writtenAt = Date.now();
    sending = { answer, options: sendOptions, since: performance.now(), stop, undo };
    change({ pending: answerBeingSent(), notTaken: undefined });
    async function beforeSending(body: object): Promise<void> {
      await undo?.untilOverOrSent(body);
      if (sending) sending = { ...sending, since: performance.now(), undo: undefined };
      refreshView();
    }
    const { messageId, text, answer: decision, files } = answer;
    let request: RequestHandle | undefined;
    try {
      request = await Promise.race([untilCanSend(), aborted(stop.signal)]);
      // The time of a decision, and its ten minutes, begin in the SDK.
      if (decision && Date.now() - writtenAt > maxReadingMs)
        throw new RelayError('timeout', 'The request was read too late for a decision.');
      const { isSent } = await request.answer(text, {
        messageId,
        // An agent that wants encryption never gets plain text. The SDK picks the request up first.
        plaintext: !request.encrypted,
        // The page has waited for it, and the expert answers anyway.
        withoutParts: true,
        signal: stop.signal,
        ...(decision && { decision }),
        ...(files && { files }),
        ...(undo && { beforeSending }),
        ...sendOptions,
      });
      if (isSent) change({ sent: [...state.get().sent, answer] });
    } catch (error) {
      const code = codeOf(error);
      if (isRefusal(error)) change({ refusal: code });
      if (stop.signal.aborted || isKept(request, messageId)) return;
      // The expert has it back, and reads why.
      change({ notTaken: code });
      if (code === 'conflict') readAgain();
      throw error;
    } finally {
      sending = undefined;
      change({ pending: undefined });
      refreshView();
    }
  }

  /** `onStored` is called once the SDK has stored it. Rejects if it was not: then the expert still has what was written. */
  function send(content: AnswerContent, onStored?: () => void): Promise<void> {
    const shown = shownMessages(state.get());
    const undo = content.answer && options.createUndo?.(requestId);
    const answer = { ...contentOf(content), messageId: crypto.randomUUID(), state: 'sending' } as const;
    const sent = takeTurn(() => {
      if (state.get().pending) throw new RelayError('conflict', 'The answer before it was not sent.');
      return deliver(answer, { shown, undo, ...(onStored && { onStored }) });
    });
    return sent.finally(() => undo?.end());
  }

  function takeTurn(work: () => Promise<void>): Promise<void> {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  }

  /** Sends what waits, is held or was refused, as it was written. */
  async function sendAgain(): Promise<void> {
    const { pending } = state.get();
    if (!pending) return;
    if (sending) {
      // A call that takes long may never end.
      const { answer, options: before } = sending;
      sending.stop.abort();
      return await takeTurn(() => deliver(answer, before)).catch(() => {});
    }
    if (pending.state === 'waiting') return await sendWaiting().catch(() => {});
    // The agent learns that what was held had not seen the newer messages.
    const evenIfNewer = pending.state === 'held';
    const shown = shownMessages(state.get());
    await takeTurn(() => deliver({ ...pending, state: 'sending' }, { shown, evenIfNewer })).catch(() => {});
  }

  /**
   * Removes the answer that was not sent. Returns false if the relay has it.
   * @throws RelayError when the answer was tried and the list of messages cannot be read
   */
  async function remove(): Promise<boolean> {
    const { pending } = state.get();
    if (!pending) return false;
    // From now on, a page that is left does not send it.
    sending?.undo?.end();
    sending?.stop.abort();
    await last;
    const request = options.request();
    if (!request) {
      await expert()?.removePendingAnswer(requestId);
      change({ pending: undefined });
      return true;
    }
    try {
      if (!isKept(request, pending.messageId))
        return !state.get().sent.some(({ messageId }) => messageId === pending.messageId);
      return (await request.discard([pending.messageId])).length > 0;
    } finally {
      refreshView();
    }
  }

  /** The request is gone: what was written for it is shown nevertheless. */
  async function showStored(code: FailureCode): Promise<void> {
    const answer = await expert()?.pendingAnswer(requestId);
    if (!options.request() && !sending) change({ pending: answer && { ...answer, state: 'refused', code } });
  }

  return { updateAnswers, send, sendAgain, remove, showStored };
}

interface DeliverOptions
  extends Pick<NonNullable<Parameters<RequestHandle['answer']>[1]>, 'shown' | 'evenIfNewer'> {
  readonly onStored?: () => void;
  /** Until when `remove` takes it back before it is sent. */
  readonly undo?: Undo | undefined;
}

interface Sending {
  readonly answer: PendingAnswer;
  readonly options: DeliverOptions;
  readonly since: number;
  readonly stop: AbortController;
  /** While it can be taken back. */
  readonly undo: Undo | undefined;
}

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(new RelayError('aborted', 'It was removed.'))),
  );

const showStoredAnswer = ({ code, reason, ...answer }: RequestHandle['pending'][number]): PendingAnswer => ({
  ...answer,
  ...(code && { code: codeIn({ code, reason }) }),
});

const isKept = (request: RequestHandle | undefined, messageId: string): boolean =>
  request?.pending.some((answer) => answer.messageId === messageId) ?? false;

const isSame = (one: PendingAnswer | undefined, other: PendingAnswer | undefined): boolean =>
  one?.messageId === other?.messageId &&
  one?.state === other?.state &&
  one?.code === other?.code &&
  one?.canUndo === other?.canUndo;
