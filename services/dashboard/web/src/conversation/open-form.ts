import type { ConversationState } from './conversation-state.ts';

type State = Pick<ConversationState, 'request' | 'messages' | 'answers'>;

/** The form that the expert can decide about now. */
export interface FormToDecide {
  readonly of: string;
  /** JSON text. */
  readonly text: string;
  /** Whether there is a decision that does not count, since the agent wrote at the same time. */
  readonly isReopened: boolean;
}

/** The name of the end of a form, beside the ids of messages: see `shown-texts`. */
export const formEnd = (of: string): string => `form:${of}`;

/** The newest form of the agent, unless it is decided or a decision about it is on its way. */
export function formToDecide({ request, messages, answers }: State): FormToDecide | undefined {
  const form = request?.openForm;
  if (!form) return undefined;
  const isOnItsWay = answers.some(({ answerOf, delivery }) => answerOf === form.of && delivery !== 'refused');
  if (isOnItsWay) return undefined;
  const decided = messages.findLastIndex(({ role, answerOf }) => role === 'provider' && answerOf === form.of);
  if (decided < 0) return { ...form, isReopened: false };
  const wroteMeanwhile = messages
    .slice(decided + 1)
    .some(({ role, seenYourLast }) => role === 'consumer' && seenYourLast === false);
  return wroteMeanwhile ? { ...form, isReopened: true } : undefined;
}

/** The form that an answer is about, as JSON text. */
export function formOf(
  { request, messages }: Pick<State, 'request' | 'messages'>,
  answerOf: string | undefined,
): string | undefined {
  if (answerOf === undefined || answerOf === request?.openForm?.of) return request?.openForm?.text;
  const asked = messages.find(({ formOf }) => formOf === answerOf);
  return asked ? asked.formText : request?.answerForm;
}

/** What a form asks for. It was not checked yet: the code for that is loaded later. */
export function formKind(json: string | undefined): 'approval' | 'form' | undefined {
  if (json === undefined) return undefined;
  try {
    return Object.keys(JSON.parse(json).properties).length === 0 ? 'approval' : 'form';
  } catch {
    return 'form';
  }
}
