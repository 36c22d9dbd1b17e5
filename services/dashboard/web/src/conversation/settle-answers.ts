import type { UnsentAnswer } from '@expert-relay/sdk/expert';
import type { UnsentState } from '../unsent/unsent-answers.ts';
import { isSameContent, writtenText } from './answer-content.ts';
import type { ConversationState, OpenRequest, PendingAnswer } from './conversation-state.ts';

/** The SDK's state of the answers. */
interface SdkAnswers {
  /** Those that were not sent yet. */
  readonly unsent: readonly UnsentAnswer[];
  /** Keys of the answers that are being sent, in their order. */
  readonly inFlight: ReadonlySet<string>;
  /** Whether the conversation has ended. */
  readonly isOver: boolean;
}

export const makeAnswerKey = (): string => crypto.getRandomValues(new Uint32Array(2)).join('-');

/** Updates the pending answers from the list of messages and from the SDK's unsent texts. */
export function settleAnswers(
  { answers, messages }: Pick<ConversationState, 'answers' | 'messages'>,
  { unsent, inFlight, isOver }: SdkAnswers,
): readonly PendingAnswer[] {
  const left = [...unsent];
  const settled: PendingAnswer[] = [];
  let hasChanged = false;
  for (const answer of answers) {
    const at = left.findIndex((one) => isSameAnswer(one, answer));
    const found = left[at];
    // After the end, a refused answer and the SDK's unsent text are the same one.
    const isOne = isOver || answer.delivery !== 'refused' || answer.messageId !== undefined;
    if (at >= 0 && isOne) left.splice(at, 1);
    const next = settleOne(answer, found);
    if (next !== answer) hasChanged = true;
    if (next) settled.push(next);
  }
  // The others were written before this page was loaded.
  for (const { isHeld, ...content } of left) {
    hasChanged = true;
    settled.push({
      ...content,
      // The same one in all tabs.
      key: content.messageId,
      at: new Date().toISOString(),
      delivery: isOver ? 'refused' : isHeld ? 'held' : 'waiting',
      after: messages.length,
      shown: [],
      ...(isOver && { code: 'conversation_closed' as const }),
    });
  }
  return hasChanged ? settled : answers;

  function settleOne(answer: PendingAnswer, unsentOne: UnsentAnswer | undefined): PendingAnswer | undefined {
    if (answer.delivery === 'refused') return answer;
    const isListed = messages.some(
      (message, index) =>
        message.messageId === answer.messageId ||
        (!answer.messageId &&
          message.role === 'provider' &&
          isSameContent(message, answer) &&
          index >= answer.after),
    );
    if (inFlight.has(answer.key)) {
      // The list can have it before the call has returned.
      if (isListed && !unsentOne) return undefined;
      const [first] = inFlight;
      const delivery = first === answer.key ? 'sending' : 'waiting';
      return delivery === answer.delivery ? answer : { ...answer, delivery };
    }
    if (unsentOne) {
      if (isOver) return { ...answer, delivery: 'refused', code: 'conversation_closed' };
      const { isHeld, messageId } = unsentOne;
      if (isHeld === (answer.delivery === 'held') && messageId === answer.messageId) return answer;
      return { ...answer, messageId, delivery: isHeld ? 'held' : 'waiting' };
    }
    if (isListed) return undefined;
    // The SDK has sent it, or another tab has discarded it: the list will show which.
    return answer.delivery === 'waiting' || answer.delivery === 'held'
      ? { ...answer, delivery: 'sending' }
      : answer;
  }
}

/** The answers that the SDK has not sent. */
export const unsentOf = ({ unsentAnswers, encrypted }: OpenRequest) =>
  unsentAnswers.map((one) => ({ ...one, text: writtenText(one, encrypted) }));

/** An answer that was sent in this page has no id until the SDK has stored it: then only its content names it. */
const isSameAnswer = (one: UnsentAnswer, answer: PendingAnswer): boolean =>
  answer.messageId === undefined ? isSameContent(one, answer) : one.messageId === answer.messageId;

/** The SDK's unsent text that is this answer, and none of the others. */
export const findUnsent = (
  { unsentAnswers }: OpenRequest,
  answer: PendingAnswer,
  others: readonly PendingAnswer[] = [],
): UnsentAnswer | undefined =>
  unsentAnswers.find(
    (one) =>
      isSameAnswer(one, answer) &&
      !others.some(({ key, messageId }) => key !== answer.key && messageId === one.messageId),
  );

/** Of the answers that were not sent, the state that needs the expert most. */
export function unsentStateOf(
  { answers, refusal }: Pick<ConversationState, 'answers' | 'refusal'>,
  request: OpenRequest | undefined,
  inFlight: ReadonlySet<string>,
): UnsentState | undefined {
  const states = (['refused', 'held', 'waiting'] as const).filter((state) =>
    answers.some(({ delivery }) => delivery === state),
  );
  // It waits for as long as the conversation is refused.
  if (states[0]) return refusal ? 'refused' : states[0];
  // The list may not show yet what the SDK has sent.
  const isOnItsWay = (answer: PendingAnswer) =>
    inFlight.has(answer.key) || !request || findUnsent(request, answer) !== undefined;
  if (answers.some((answer) => answer.delivery === 'sending' && isOnItsWay(answer))) return 'sending';
  return request && request.unsentAnswers.length > 0 ? 'waiting' : undefined;
}
