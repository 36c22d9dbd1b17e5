import type { RequestForm } from '@expert-relay/sdk/expert';
import { isApproval } from '@expert-relay/sdk/forms';
import type { ConversationState } from './conversation-state.ts';

type State = Pick<ConversationState, 'request' | 'messages' | 'answers'>;

/** The name of the end of a form, beside the ids of messages: see `shown-texts`. */
export const formEnd = (of: string): string => `form:${of}`;

/** The agent's form, unless it is decided or a decision about it is on its way. */
export function formToDecide({ request, answers }: State): RequestForm | undefined {
  const { form, decision } = request ?? {};
  if (!form || decision === 'accepted' || decision === 'declined') return undefined;
  const isOnItsWay = answers.some(({ answer, delivery }) => answer?.of === form.of && delivery !== 'refused');
  return isOnItsWay ? undefined : form;
}

/** The form that a decision is about. Undefined if it cannot be shown. */
export function formOf({ request, messages }: Pick<State, 'request' | 'messages'>, of: string) {
  if (request?.form?.of === of) return request.form.form;
  const asked = messages.find(({ formOf }) => formOf === of);
  return asked ? asked.form : request?.answerForm;
}

/** What the agent asks for besides words. */
export function describeForm(asked: RequestForm | undefined): string {
  if (!asked) return '';
  return asked.form && isApproval(asked.form)
    ? 'The agent asks for your approval.'
    : 'The agent asks you to fill in a form.';
}
