import { RelayError, type RelayErrorCode } from '@expert-relay/sdk';
import type { AnswerOptions } from '@expert-relay/sdk/expert';
import type { Storage } from '../storage/storage.ts';
import type { Store } from '../ui/store.ts';
import { type AnswerContent, contentOf, decidingOf } from './answer-content.ts';
import {
  type ConversationState,
  hasEnded,
  type OpenRequest,
  type PendingAnswer,
} from './conversation-state.ts';
import { codeOf, type FailureCode, isRefusal } from './refusal-sentences.ts';
import { createRefusedAnswers } from './refused-answers.ts';
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
  /** Keys of the answers that the SDK is sending. */
  const inFlight = new Set<string>();
  /** Keys of the answers that the expert has removed. They are shown until they are deleted, so that they cannot come back. */
  const removed = new Set<string>();
  /** The relay has refused a waiting answer with this code. */
  let finalCode: FailureCode | undefined;
  /** While answers are moved from the SDK to this page. */
  let moving: Promise<void> | undefined;

  const setAnswers = (answers: readonly PendingAnswer[]) => state.set({ ...state.get(), answers });

  const refused = createRefusedAnswers({ requestId, storage, state, removed });
  const restored = refused.restore().catch(() => {});

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
    const unsent = unsentOf(request).filter(({ messageId }) => !removed.has(messageId));
    const answers = settleAnswers(before, { unsent, inFlight, isOver });
    if (answers !== before.answers) setAnswers(answers);
    if (hasSentWaiting(before.answers, answers)) onAnswers();
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
    removeAgain(request);
    const { answers } = state.get();
    const left = answers.filter(
      (answer) =>
        ['refused', 'sent'].includes(answer.delivery) ||
        inFlight.has(answer.key) ||
        findUnsent(request, answer),
    );
    if (left.length < answers.length) setAnswers(left);
    void refused.restore().catch(() => {});
  }

  /** The SDK can discard an answer that it was sending only after the request was opened again, and before it sends again. */
  function removeAgain(request: OpenRequest): void {
    const ids = request.unsentAnswers.flatMap(({ messageId }) => (removed.has(messageId) ? messageId : []));
    if (ids.length > 0) void request.discard(ids).catch(() => {});
  }

  /** Whether the SDK has sent an answer that waited, or found it in the list. Other tabs may still show it. */
  const hasSentWaiting = (before: readonly PendingAnswer[], now: readonly PendingAnswer[]) =>
    before.some(({ key, delivery }) => {
      if (delivery !== 'waiting' || inFlight.has(key)) return false;
      const after = now.find((one) => one.key === key);
      return after === undefined || after.delivery === 'sending';
    });

  /** Notes the error of a call: the relay may have refused a waiting answer permanently. */
  function noteFailure(request: OpenRequest, error: unknown): void {
    // Without a status the error is not from the relay, and before the pick-up it is about the keys.
    if (!(error instanceof RelayError) || error.status === undefined) return;
    if (finalCodes.has(error.code) && (!request.encrypted || request.isPickedUp)) finalCode = codeOf(error);
  }

  /**
   * The relay has refused the oldest waiting answer, so the expert decides about it: it is moved from the SDK to this page. It is
   * stored by the id of its message, so that two tabs that move it have one answer. Those behind it stay, and are sent.
   */
  async function moveRefused(request: OpenRequest, code: FailureCode): Promise<void> {
    const first = state.get().answers.find(({ delivery }) => delivery === 'waiting');
    const messageId = first && findUnsent(request, first)?.messageId;
    const outcome =
      first && messageId !== undefined && (await refused.move(request, { ...first, code }, messageId));
    if (outcome === 'moved') onAnswers();
    if (outcome === 'encrypted') {
      // The SDK can discard it once the request was opened again.
      finalCode = code;
      retry.cancel();
      reopen();
    }
    moving = undefined;
    update();
    if (outcome === 'moved') void sendWaiting().catch(() => {});
  }

  /** Retries answers that are waiting, also while the conversation is not shown. */
  const retry = createRetry(sendWaiting);

  async function sendWaiting(): Promise<void> {
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
  }

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
    if (removed.has(answer.key)) {
      inFlight.delete(answer.key);
      return hide(answer);
    }
    try {
      // The time of a decision, and its ten minutes, begin in the SDK.
      if (decision && Date.now() - Date.parse(answer.at) > maxOpeningMs)
        throw new RelayError('timeout', 'The request was opened too late for a decision.');
      // An agent that wants encryption never gets plain text.
      if (request.encrypted && !request.isPickedUp) throw new RelayError('no_keys_yet', 'Not picked up.');
      const { messageId, isSent } = await request.answer(text, {
        plaintext: !request.encrypted,
        // The page has waited for it, and the expert answers anyway.
        withoutParts: true,
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
      const isKept = findUnsent(request, answer, state.get().answers) !== undefined;
      noteFailure(request, error);
      change(answer.key, isKept ? { delivery: 'waiting' } : { delivery: 'refused', code });
      if (isRefusal(code)) state.set({ ...state.get(), refusal: code });
      // An answer that cannot be stored is still shown.
      if (!isKept) await refused.store.add([{ ...answer, delivery: 'refused', code }]).catch(() => {});
      if (!isKept || code === 'newer_message') onAnswers();
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
   * Gives the held answers back to the expert, who changes them. `keep` stores what they say before they are removed. Those that wait
   * are sent: the SDK may be sending one of them already.
   */
  async function takeBack(keep: (waiting: readonly AnswerContent[]) => Promise<void>): Promise<void> {
    const request = opened();
    if (!request || moving) return;
    const waiting = state
      .get()
      .answers.filter(({ delivery, key }) => delivery === 'held' && !inFlight.has(key));
    const ids = waiting.flatMap((answer) => findUnsent(request, answer)?.messageId ?? []);
    await keep(waiting.filter((answer) => findUnsent(request, answer)));
    // Until they are gone, the list of answers stays as it is.
    moving = request
      .discard(ids)
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

  async function sendAgain(answer: PendingAnswer): Promise<void> {
    // It is shown until the SDK gets it, which may take as long as the relay is away.
    inFlight.add(answer.key);
    change(answer.key, { delivery: 'waiting' });
    await untilOpen();
    inFlight.delete(answer.key);
    hide(answer);
    await refused.handOver(answer, (kept) => send(answer, kept));
    onAnswers();
  }

  /** Removes an answer that was not sent. One that the SDK is sending at this moment may still arrive. */
  async function discard(answer: PendingAnswer): Promise<void> {
    const request = opened();
    const messageId = request && findUnsent(request, answer)?.messageId;
    removed.add(answer.key);
    await refused.store.remove(answer.key).catch(() => {});
    if (messageId !== undefined && messageId !== answer.key) {
      removed.add(messageId);
      await refused.store.remove(messageId).catch(() => {});
    }
    if (request && messageId !== undefined) {
      await request.discard([messageId]).catch(() => {});
      if (request.unsentAnswers.some((one) => one.messageId === messageId)) {
        retry.cancel();
        reopen();
      }
    }
    hide(answer);
    onAnswers();
  }

  return {
    restored,
    /** Before the request is opened. */
    readRemoved: () => refused.readRemoved().catch(() => {}),
    unsentState: () => unsentStateOf(state.get(), opened(), inFlight),
    settle,
    removeDecided,
    noteFailure,
    send,
    sendAgain,
    sendAnyway,
    takeBack,
    discard,
    keepUnsendable: refused.keepUnsendable,
  };
}
