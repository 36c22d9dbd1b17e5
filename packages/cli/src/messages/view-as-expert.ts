import type { Message } from '@expert-relay/sdk';
import type { ExpertRequest } from '@expert-relay/sdk/expert';
import type { Context } from '../context.ts';
import { connectExpert } from '../relay/connect-expert.ts';
import { markWritten } from '../relay/mark-written.ts';
import { readCurrentMessages } from '../relay/read-current-messages.ts';
import { askedTexts, mayBeShown } from '../relay/request-state.ts';
import type { ConversationView } from './conversation-view.ts';

/** Shows a conversation to the expert, and remembers what was shown. Showing it does not pick it up. */
export async function showToExpert(
  context: Context,
  refCode: string,
  show: (view: ConversationView) => void,
): Promise<ConversationView> {
  const { expert, outages } = await connectExpert(context, { instead: '' });
  try {
    const request = await expert.request(refCode, { signal: context.signal });
    const view = await viewOf(request, context.signal);
    show(view);
    if (mayBeShown(view)) await markWritten(context, expert, view);
    return view;
  } finally {
    outages.stop();
    expert.stop();
  }
}

interface ExpertView extends ConversationView {
  readonly messages: readonly Message[];
}

/** `read`: messages that were read before, and are not returned again. */
export async function viewOf(
  request: ExpertRequest,
  signal: AbortSignal,
  read: readonly Message[] = [],
): Promise<ExpertView> {
  const current = await readCurrentMessages(request, signal);
  const { requestId, refCode, status, createdAt, expiresAt, context, erasedAt } = request;
  const { agent, agentName, answerForm, form, decision, decisions, tags, closedBy, closeReason } = request;
  const messages = [...read, ...current.messages].map((message) => ({
    ...message,
    ...(message.answer?.of === form?.of && { answeredForm: form?.form }),
  }));
  return {
    requestId,
    refCode,
    status,
    createdAt,
    expiresAt,
    context,
    unsent: request.pending.map(({ text }) => text),
    erasedAt,
    agent,
    agentName,
    messages,
    answerForm,
    form,
    decision,
    decisions,
    tags,
    closedBy,
    closeReason,
    follows: request.missingParts,
    refused: current.refused,
    ...askedTexts(request),
  };
}
