import type { ExpertRequest } from '@expert-relay/sdk/expert';
import type { Context } from '../../context.ts';
import { openExpert } from '../../relay/open-expert.ts';
import { readCurrentMessages } from '../../relay/read-current-messages.ts';
import type { ConversationView } from './conversation-view.ts';

/** A conversation as the expert sees it. Showing it does not pick it up. */
export async function viewAsExpert(context: Context, refCode: string): Promise<ConversationView> {
  const { expert } = await openExpert(context, { instead: '' });
  try {
    const request = await expert.request(refCode, { signal: context.signal });
    return await viewOf(request, context.signal);
  } finally {
    expert.stop();
  }
}

export async function viewOf(request: ExpertRequest, signal: AbortSignal): Promise<ConversationView> {
  const { messages, refused } = await readCurrentMessages(request, signal);
  const { requestId, refCode, status, createdAt, expiresAt, question, plaintext, context, unsent, erasedAt } =
    request;
  return {
    ...{ requestId, refCode, status, createdAt, expiresAt, context, messages, unsent, erasedAt, refused },
    question: question || (plaintext ?? ''),
  };
}
