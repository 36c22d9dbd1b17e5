import { type FormAnswer, isApproval } from '@expert-relay/sdk/forms';
import { hasEnded } from '@expert-relay/sdk/internal';
import type { Conversation } from './conversation.ts';
import type { ConversationState } from './conversation-state.ts';
import { isDecided, isToDecide } from './open-form.ts';

/** A request that may be equal to the open one, by what its row shows. */
export interface SimilarRequest {
  readonly requestId: string;
  readonly refCode: string;
}

/** Requests that may be answered together with the open one. */
export interface Together {
  readonly similar: readonly SimilarRequest[];
  readonly sent?: SentTogether;
}

/** What was decided about those that were equal. */
export interface SentTogether {
  readonly action: FormAnswer['action'];
  readonly ids: readonly string[];
  /** What each of them asked at the press. */
  readonly asked: string;
}

export interface Member extends SimilarRequest {
  readonly conversation: Conversation;
}

/** With the one on the screen. */
export const maxTogether = 20;

/**
 * All that an expert is asked with an approval: two requests are equal if this is. Undefined for another form, one that was answered, and
 * one whose agent has written, or will.
 */
export function askedBy(state: ConversationState): string | undefined {
  const { request, messages, pending, sent, refusal, needsKey } = state;
  const form = request?.form?.form;
  if (!form || !isApproval(form) || request.status !== 'pending' || !isToDecide(request)) return undefined;
  const others = [...messages, ...sent, ...(pending ? [pending] : [])].length;
  if (others > 0 || request.missingParts || refusal || needsKey) return undefined;
  const { agent, agentName, question, plaintext, context, encrypted } = request;
  return JSON.stringify([agent, agentName, question, plaintext, context, encrypted, form]);
}

/** Whether the request was read, or cannot be. */
export const isRead = ({ request, failure, refusal, needsKey }: ConversationState): boolean =>
  Boolean(request || failure || refusal || needsKey);

/** What has happened in a request that was equal to others, in so far as it changes the answer. */
export function changeOf({ request, messages }: ConversationState): string | undefined {
  if (messages.some(({ from }) => from === 'agent')) return 'the agent wrote meanwhile';
  if (request && isDecided(request)) return 'it was decided elsewhere';
  return request && hasEnded(request) ? 'it has ended' : undefined;
}

/** Why a request is not answered together with others. */
export function whyLeftOut(state: ConversationState): string {
  if (state.refusal || state.failure || state.needsKey || !state.request) return 'it cannot be read here';
  if (state.pending || state.sent.length > 0) return 'you have answered it';
  return changeOf(state) ?? 'it is not equal';
}
