import type { ConversationState, PendingAnswer } from './conversation-state.ts';

/** The SDK's state of the answers. */
interface SdkAnswers {
  /** Texts that were not sent yet. */
  readonly unsent: readonly string[];
  /** Those of them that wait for the expert, since the agent has written meanwhile. */
  readonly held: readonly string[];
  /** Keys of the answers that are being sent, in their order. */
  readonly inFlight: ReadonlySet<string>;
  /** Whether the conversation has ended. */
  readonly isOver: boolean;
}

/** Updates the pending answers from the list of messages and from the SDK's unsent texts. */
export function settleAnswers(
  { answers, messages }: Pick<ConversationState, 'answers' | 'messages'>,
  { unsent, held, inFlight, isOver }: SdkAnswers,
): readonly PendingAnswer[] {
  const left = [...unsent];
  const settled: PendingAnswer[] = [];
  let hasChanged = false;
  for (const answer of answers) {
    const at = left.indexOf(answer.text);
    // After the end, a refused answer and the SDK's unsent text are the same one.
    if (at >= 0 && (isOver || answer.delivery !== 'refused')) left.splice(at, 1);
    const next = settleOne(answer, at >= 0);
    if (next !== answer) hasChanged = true;
    if (next) settled.push(next);
  }
  // The others were written before this page was loaded.
  for (const text of left) {
    hasChanged = true;
    const delivery = isOver ? 'refused' : waitsFor(text);
    settled.push({
      key: `unsent-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`,
      text,
      at: new Date().toISOString(),
      delivery,
      after: messages.length,
      shown: [],
      ...(isOver && { code: 'conversation_closed' as const }),
    });
  }
  return hasChanged ? settled : answers;

  function waitsFor(text: string): 'held' | 'waiting' {
    return held.includes(text) ? 'held' : 'waiting';
  }

  function settleOne(answer: PendingAnswer, isUnsent: boolean): PendingAnswer | undefined {
    if (answer.delivery === 'refused') return answer;
    if (inFlight.has(answer.key)) {
      const [first] = inFlight;
      const delivery = first === answer.key ? 'sending' : 'waiting';
      return delivery === answer.delivery ? answer : { ...answer, delivery };
    }
    if (isUnsent) {
      if (isOver) return { ...answer, delivery: 'refused', code: 'conversation_closed' };
      const isHeld = held.includes(answer.text);
      if (isHeld === (answer.delivery === 'held')) return answer;
      return { ...answer, delivery: waitsFor(answer.text) };
    }
    const isListed = messages.some(
      ({ role, text, messageId }, index) =>
        messageId === answer.messageId ||
        (!answer.messageId && role === 'provider' && text === answer.text && index >= answer.after),
    );
    if (isListed) return undefined;
    // The SDK has sent it, or another tab has discarded it: the list will show which.
    return answer.delivery === 'waiting' || answer.delivery === 'held'
      ? { ...answer, delivery: 'sending' }
      : answer;
  }
}
