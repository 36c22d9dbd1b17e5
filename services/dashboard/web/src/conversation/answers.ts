import { RelayError, type RelayErrorCode } from '@expert-relay/sdk';
import type { AnswerOptions } from '@expert-relay/sdk/expert';
import type { Storage } from '../storage/storage.ts';
import type { Store } from '../ui/store.ts';
import { type AnswerContent, contentOf, decidingOf, withoutSame } from './answer-content.ts';
import {
  type ConversationState,
  hasEnded,
  type OpenRequest,
  type PendingAnswer,
} from './conversation-state.ts';
import { codeOf, type FailureCode, isRefusal } from './refusal-sentences.ts';
import { createRefusedStore } from './refused-store.ts';
import { createRetry } from './retry.ts';
import { findUnsent, makeAnswerKey, settleAnswers, unsentOf, unsentStateOf } from './settle-answers.ts';
import { shownMessages } from './shown-texts.ts';

interface AnswersOptions {
  readonly requestId: string;
  readonly storage: Storage;
  readonly state: Store<ConversationState>;
  /** Resolves once the request is open with the current expert key. */
  readonly untilOpen: () => Promise<OpenRequest>;
  /** The open request. */
  readonly opened: () => OpenRequest | undefined;
  /** Copies the state of the open request into the store, and calls `settle`, unless it is to be opened again. */
  readonly update: () => void;
  /** Opens the request again. */
  readonly reopen: () => void;
  /** Reports that the answers that wait have changed, for other tabs. */
  readonly onAnswers: () => void;
}

/** For how long a decision waits for its request to be opened. */
const maxOpeningMs = 60_000;

/** The codes with which the relay refuses a message permanently. */
const finalCodes: ReadonlySet<RelayErrorCode> = new Set(['invalid_input', 'message_too_large', 'conflict']);

/**
 * The answers of one conversation from "Send" until the list of messages has them. The SDK stores those that wait and
 * sends them; this page stores those that were refused, until the expert has decided about them.
 */
export function createAnswers(options: AnswersOptions) {
  const { requestId, storage, state, untilOpen, opened, update, reopen, onAnswers } = options;
  const refusedStore = createRefusedStore(storage, requestId);
  /** Keys of the answers that the SDK is sending. */
  const inFlight = new Set<string>();
  /** Keys of the answers that the expert has removed. They are shown until they are deleted, so that they cannot come back. */
  const removed = new Set<string>();
  /** The relay has refused a waiting answer with this code. */
  let finalCode: FailureCode | undefined;
  /** While answers are moved from the SDK to this page. */
  let moving: Promise<void> | undefined;

  const setAnswers = (answers: readonly PendingAnswer[]) => state.set({ ...state.get(), answers });

  const restore = () =>
    refusedStore
      .restore()
      .then(({ added, gone }) => {
        if (added.length + gone.size === 0) return;
        const { answers } = state.get();
        const isGone = ({ key, delivery }: PendingAnswer) => delivery === 'refused' && gone.has(key);
        setAnswers([...added, ...answers.filter((answer) => !isGone(answer))]);
      })
      .catch(() => {});
  const restored = restore();

  const storeRefused = (given?: readonly PendingAnswer[]) =>
    refusedStore.store(() =>
      (given ?? state.get().answers).filter(
        ({ delivery, key }) => delivery === 'refused' && !removed.has(key),
      ),
    );

  function change(key: string, changes: Partial<PendingAnswer>): void {
    const { answers } = state.get();
    setAnswers(answers.map((answer) => (answer.key === key ? { ...answer, ...changes } : answer)));
    update();
  }

  /** Updates the answers from the messages and from the request. */
  function settle(request: OpenRequest): void {
    if (moving) return;
    const before = state.get();
    const isOver = hasEnded(request);
    const answers = settleAnswers(before, { unsent: unsentOf(request), inFlight, isOver });
    if (answers !== before.answers) setAnswers(answers);
    if (finalCode && inFlight.size === 0 && !isOver) {
      const code = finalCode;
      finalCode = undefined;
      moving = Promise.resolve().then(() => moveRefused(request, code));
      return;
    }
    if (answers.some(({ delivery }) => delivery === 'waiting') && !isOver) retry.later();
    else retry.cancel();
  }

  /**
   * Removes the answers that another tab has sent or discarded, when the request was opened again, and shows those that
   * were refused there.
   */
  function removeDecided(request: OpenRequest): void {
    const { answers } = state.get();
    const left = answers.filter(
      (answer) =>
        ['refused', 'sent'].includes(answer.delivery) ||
        inFlight.has(answer.key) ||
        findUnsent(request, answer),
    );
    if (left.length < answers.length) setAnswers(left);
    void restore();
  }

  /** Notes the error of a call: the relay may have refused a waiting answer permanently. */
  function noteFailure(request: OpenRequest, error: unknown): void {
    // Without a status the error is not from the relay, and before the pick-up it is about the keys.
    if (!(error instanceof RelayError) || error.status === undefined) return;
    if (finalCodes.has(error.code) && (!request.encrypted || request.isPickedUp)) finalCode = codeOf(error);
  }

  /**
   * The relay has refused the oldest waiting answer, so the expert decides about it. The SDK can only discard all answers
   * that were not sent: waiting texts are sent again, and the expert decides again about decisions and held answers. An answer is
   * shown as refused once the SDK no longer has it.
   */
  async function moveRefused(request: OpenRequest, code: FailureCode): Promise<void> {
    const { answers } = state.get();
    const unsent = answers.filter(
      (answer) =>
        (answer.delivery === 'waiting' || answer.delivery === 'held') && findUnsent(request, answer),
    );
    const first = unsent.find(({ delivery }) => delivery === 'waiting');
    if (!first) {
      moving = undefined;
      return update();
    }
    const refused = ({ delivery }: PendingAnswer): Partial<PendingAnswer> => ({
      delivery: 'refused',
      code: delivery === 'held' ? 'newer_message' : code,
    });
    // The SDK would give a decision that is sent again a new time, and ten more minutes.
    const isSentAgain = (answer: PendingAnswer) =>
      answer.delivery === 'waiting' && answer !== first && !answer.answer;
    // They are stored here before the SDK deletes them.
    await storeRefused(
      answers.map((answer) => (unsent.includes(answer) ? { ...answer, ...refused(answer) } : answer)),
    );
    const discarded = await request.discard().then(
      () => withoutSame(unsent, unsentOf(request)),
      () => [],
    );
    for (const answer of discarded) change(answer.key, refused(answer));
    await storeRefused();
    if (discarded.length < unsent.length) {
      // The SDK cannot discard an answer that it has encrypted, unless the request is opened again.
      finalCode = code;
      retry.cancel();
      reopen();
    }
    moving = undefined;
    update();
    if (discarded.length > 0) onAnswers();
    for (const answer of discarded) if (isSentAgain(answer)) void sendAgain(answer, answer.shown);
  }

  /** Retries answers that are waiting, also while the conversation is not shown. */
  const retry = createRetry(async () => {
    const request = opened();
    if (!request) return;
    try {
      await request.refresh();
    } catch (error) {
      noteFailure(request, error);
      throw error;
    } finally {
      update();
    }
  });

  async function send(
    content: AnswerContent,
    onKept?: () => void,
    shown = shownMessages(state.get()),
  ): Promise<void> {
    const { answers, messages } = state.get();
    const answer: PendingAnswer = {
      ...contentOf(content),
      key: makeAnswerKey(),
      at: new Date().toISOString(),
      delivery: inFlight.size === 0 ? 'sending' : 'waiting',
      after: messages.length,
      shown,
    };
    inFlight.add(answer.key);
    setAnswers([...answers, answer]);
    await deliver(answer, { ...(onKept && { onKept }) });
  }

  async function deliver(answer: PendingAnswer, options: AnswerOptions): Promise<void> {
    const { text, shown, answer: decision, files } = answer;
    inFlight.add(answer.key);
    // While answers are moved, the SDK would discard this one too.
    while (moving) await moving;
    const request = await untilOpen();
    try {
      // The time of a decision, and its ten minutes, begin in the SDK.
      if (decision && Date.now() - Date.parse(answer.at) > maxOpeningMs)
        throw new RelayError('timeout', 'The request was opened too late for a decision.');
      // An agent that wants encryption never gets plain text.
      if (request.encrypted && !request.isPickedUp) throw new RelayError('no_keys_yet', 'Not picked up.');
      const { messageId, isSent } = await request.answer(text, {
        plaintext: !request.encrypted,
        shown,
        ...(decision && { decision: decidingOf(decision) }),
        ...(files && { files }),
        ...options,
      });
      inFlight.delete(answer.key);
      change(answer.key, { delivery: isSent ? 'sent' : 'waiting', messageId });
    } catch (error) {
      inFlight.delete(answer.key);
      const code = codeOf(error);
      const isKept = findUnsent(request, answer) !== undefined;
      noteFailure(request, error);
      change(answer.key, isKept ? { delivery: 'waiting' } : { delivery: 'refused', code });
      if (isRefusal(code)) state.set({ ...state.get(), refusal: code });
      if (!isKept) await storeRefused();
      if (code === 'newer_message') onAnswers();
    }
  }

  const hide = ({ key }: PendingAnswer) => setAnswers(state.get().answers.filter((one) => one.key !== key));

  /** Sends a held answer. The agent is informed that it had not seen the newer messages. */
  async function sendAnyway(answer: PendingAnswer): Promise<void> {
    while (moving) await moving;
    // Another tab may have sent or discarded it.
    const request = opened();
    if (!request || !findUnsent(request, answer)?.isHeld || inFlight.has(answer.key)) return;
    change(answer.key, { delivery: 'sending' });
    await deliver(answer, { evenIfNewer: true, onKept: onAnswers });
  }

  /**
   * Gives the answers that wait back to the expert, who changes them. The SDK can only discard all of them. `keep` stores
   * what they say before that.
   */
  async function takeBack(keep: (waiting: readonly AnswerContent[]) => Promise<void>): Promise<void> {
    const request = opened();
    if (!request || moving) return;
    const isWaiting = (answer: PendingAnswer) =>
      (answer.delivery === 'held' || answer.delivery === 'waiting') &&
      !inFlight.has(answer.key) &&
      findUnsent(request, answer);
    const waiting = state.get().answers.filter(isWaiting);
    await keep(waiting);
    // Until they are gone, the list of answers stays as it is.
    moving = request
      .discard()
      .then(() => {
        for (const answer of waiting) if (!findUnsent(request, answer)) hide(answer);
      })
      .finally(() => {
        moving = undefined;
        update();
        onAnswers();
      });
    await moving;
  }

  async function sendAgain(answer: PendingAnswer, shown?: readonly string[]): Promise<void> {
    hide(answer);
    // The storage has the refused answer until the SDK has stored the text.
    await send(answer, () => void storeRefused().then(onAnswers), shown);
    await storeRefused();
    onAnswers();
  }

  async function discard(answer: PendingAnswer): Promise<void> {
    removed.add(answer.key);
    await storeRefused();
    onAnswers();
    const request = opened();
    // Before the end, the SDK has only answers that it still sends.
    if (request && hasEnded(request) && findUnsent(request, answer)) {
      await request.discard().catch(() => {});
    }
    hide(answer);
  }

  return {
    restored,
    unsentState: () => unsentStateOf(state.get().answers, opened(), inFlight),
    settle,
    removeDecided,
    noteFailure,
    send,
    sendAgain: (answer: PendingAnswer) => sendAgain(answer),
    sendAnyway,
    takeBack,
    discard,
  };
}
