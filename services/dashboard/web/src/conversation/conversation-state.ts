import type { RelayErrorCode } from '@expert-relay/sdk';
import type { ExpertMessage, ExpertRequest } from '@expert-relay/sdk/expert';

/** The part of the SDK's request that a conversation uses. A plain request implements it without cryptography. */
export type OpenRequest = Pick<
  ExpertRequest,
  | 'agent'
  | 'refCode'
  | 'status'
  | 'createdAt'
  | 'expiresAt'
  | 'erasedAt'
  | 'question'
  | 'context'
  | 'plaintext'
  | 'encrypted'
  | 'isPickedUp'
  | 'unsent'
  | 'messages'
  | 'pickUp'
  | 'answer'
  | 'discard'
  | 'refresh'
  | 'close'
>;

/** The shown members of a request besides its messages. */
export type RequestView = Omit<
  OpenRequest,
  'unsent' | 'messages' | 'pickUp' | 'answer' | 'discard' | 'refresh' | 'close'
>;

/** An answer that is not in the list of messages yet. */
export interface PendingAnswer {
  readonly key: string;
  readonly text: string;
  readonly at: string;
  /**
   * `waiting`: it is sent once the relay can be reached. `refused`: it is not sent, and `code` is the reason.
   */
  readonly delivery: 'waiting' | 'sending' | 'sent' | 'refused';
  readonly code?: RelayErrorCode | undefined;
  readonly messageId?: string | undefined;
  /** The number of messages when it was written. */
  readonly after: number;
}

export interface ConversationState {
  /** Undefined until it was read. */
  readonly request: RequestView | undefined;
  readonly messages: readonly ExpertMessage[];
  readonly answers: readonly PendingAnswer[];
  /** The error of the last read. */
  readonly failure: RelayErrorCode | undefined;
  /** A failed check of the conversation: nothing more is shown or sent before the expert has decided. */
  readonly refusal: RelayErrorCode | undefined;
  /** Its messages can be read only with the expert key. */
  readonly needsKey: boolean;
  /** Whether the expert ended it in this browser. */
  readonly isEndedHere: boolean;
}

const names = [
  'agent',
  'refCode',
  'status',
  'createdAt',
  'expiresAt',
  'erasedAt',
  'question',
  'context',
  'plaintext',
  'encrypted',
  'isPickedUp',
] as const;

export const viewOf = (request: OpenRequest): RequestView =>
  Object.fromEntries(names.map((name) => [name, request[name]])) as unknown as RequestView;

/** Whether two views show the same. */
export const isSameView = (one: RequestView | undefined, other: RequestView): boolean =>
  one !== undefined && names.every((name) => isSame(one[name], other[name]));

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other));

/** The SDK's state of the answers. */
export interface Sendings {
  /** Texts that were not sent yet. */
  readonly unsent: readonly string[];
  /** Keys of the answers that are being sent, in their order. */
  readonly inFlight: ReadonlySet<string>;
  readonly hasEnded: boolean;
}

/** Updates the pending answers from the list of messages and from the SDK's unsent texts. */
export function settleAnswers(
  { answers, messages }: Pick<ConversationState, 'answers' | 'messages'>,
  { unsent, inFlight, hasEnded }: Sendings,
): readonly PendingAnswer[] {
  const left = [...unsent];
  const settled: PendingAnswer[] = [];
  let hasChanged = false;
  for (const answer of answers) {
    const at = left.indexOf(answer.text);
    // After the end, a refused answer and the SDK's unsent text are the same one.
    if (at >= 0 && (hasEnded || answer.delivery !== 'refused')) left.splice(at, 1);
    const next = settleOne(answer, at >= 0);
    if (next !== answer) hasChanged = true;
    if (next) settled.push(next);
  }
  // Begun before this page was loaded.
  for (const text of left) {
    hasChanged = true;
    const delivery = hasEnded ? 'refused' : 'waiting';
    settled.push({
      key: `unsent-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`,
      text,
      at: new Date().toISOString(),
      delivery,
      after: messages.length,
      ...(hasEnded && { code: 'conversation_closed' as const }),
    });
  }
  return hasChanged ? settled : answers;

  function settleOne(answer: PendingAnswer, isUnsent: boolean): PendingAnswer | undefined {
    if (answer.delivery === 'refused') return answer;
    if (inFlight.has(answer.key)) {
      const [first] = inFlight;
      const delivery = first === answer.key ? 'sending' : 'waiting';
      return delivery === answer.delivery ? answer : { ...answer, delivery };
    }
    if (isUnsent) {
      return hasEnded ? { ...answer, delivery: 'refused', code: 'conversation_closed' } : answer;
    }
    const isListed = messages.some(
      ({ role, text, messageId }, index) =>
        messageId === answer.messageId ||
        (!answer.messageId && role === 'provider' && text === answer.text && index >= answer.after),
    );
    if (isListed) return undefined;
    return answer.delivery === 'sent' ? answer : { ...answer, delivery: 'sent' };
  }
}
