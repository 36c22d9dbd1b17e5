import { confidentialQuestion } from '@expert-relay/sdk';
import type { RequestForm } from '@expert-relay/sdk/expert';
import type { ConversationState, RequestView } from './conversation-state.ts';

type State = Pick<ConversationState, 'request' | 'messages' | 'pending' | 'sent'>;

/** The name of the end of a form, beside the ids of messages: see `shown-texts`. */
export const formEnd = (of: string): string => `form:${of}`;

/** Whether the newest form of the agent is decided. */
export const isDecided = ({ decision }: Pick<RequestView, 'decision'>): boolean =>
  decision === 'accepted' || decision === 'declined';

export const isToDecide = (request: Pick<RequestView, 'decision'>): boolean =>
  request.decision !== undefined && !isDecided(request);

/** The agent's form, unless it is decided or a decision about it is on its way. */
export function formToDecide({ request, pending, sent }: State): RequestForm | undefined {
  const form = request?.form;
  if (!form || isDecided(request)) return undefined;
  const isOnItsWay = [...sent, pending].some((one) => one?.answer?.of === form.of && one.state !== 'refused');
  return isOnItsWay ? undefined : form;
}

/** The form that a decision is about. Undefined if it cannot be shown. */
export function formOf({ request, messages }: Pick<State, 'request' | 'messages'>, of: string) {
  if (request?.form?.of === of) return request.form.form;
  const asked = messages.find(({ formOf }) => formOf === of);
  return asked ? asked.form : request?.answerForm;
}

/** What the agent asks with its open form: the text that came with it. */
export function askedWith({ request, messages }: Pick<State, 'request' | 'messages'>, of: string): string {
  const isConfidential = request?.question === confidentialQuestion;
  const asking = messages.find(({ formOf, from }) => formOf === of || (isConfidential && from === 'agent'));
  return asking?.text || (request?.question ?? '');
}
