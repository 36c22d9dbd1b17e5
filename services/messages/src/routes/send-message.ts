import type { Api } from '@expert-relay/contracts';
import { endedProblem, type Query, requestIdFrom, roleOf } from '@expert-relay/db';
import { defineRoute, parseBody, type RouteResponse } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import type { Context } from '../context.ts';
import {
  findEarlierMessage,
  insertMessage,
  type NewMessage,
  type Outcome,
} from '../conversation/insert-message.ts';
import { contentOf, isSame, messageSchema } from '../conversation/message.ts';

export const sendMessage = (context: Context) =>
  defineRoute({
    method: 'post',
    path: '/api/v1/message/:requestId',
    allow: ['consumer', 'provider', 'session'],
    takesBody: true,
    async handle({ principal, callId, params, body }) {
      const parsed = parseBody(messageSchema, body);
      const role = roleOf(principal);
      if (!parsed.role && principal.kind !== 'session') throw missingRole();
      if (parsed.role && parsed.role !== role) throw new Problem('role_mismatch');
      if (parsed.answer && role === 'consumer') throw wrongFormAnswer('Only the expert answers a form.');

      const message = {
        requestId: requestIdFrom(params),
        messageId: parsed.messageId ?? callId,
        content: contentOf(role, parsed),
      };
      const outcome = await insertMessage(context.query, principal, message);
      if (!outcome) throw new Problem('not_found');
      if (!outcome.createdAt) return repeatedOrRefused(context.query, message, outcome);

      context.wakeOutbox();
      const status = role === 'provider' ? 'responded' : outcome.status;
      return sentMessage(201, { ...outcome, ...message, status, createdAt: outcome.createdAt });
    },
  });

/** Nothing was inserted: an earlier call has stored the message, or the conversation accepts no more. */
async function repeatedOrRefused(
  query: Query,
  message: NewMessage,
  outcome: Outcome,
): Promise<RouteResponse> {
  const earlier = await findEarlierMessage(query, message);
  if (earlier) {
    if (!isSame(earlier, message.content)) throw new Problem('message_id_taken');
    // The first response again: the request was open then.
    const status = earlier.wasResponded ? 'responded' : 'pending';
    const { messageId, createdAt } = earlier;
    return sentMessage(200, { ...outcome, ...message, messageId, createdAt, status });
  }
  if (outcome.status === 'closed' || outcome.status === 'expired') throw endedProblem(outcome.status);
  if (!outcome.hasRoom) throw new Problem('conversation_full');
  if (!outcome.hasForm || outcome.agentHasKeys) {
    throw wrongFormAnswer('Expected none: this request has no form, or its answers must be encrypted.');
  }
  throw new Error('a message was neither inserted nor found');
}

type StoredMessage = NewMessage &
  Pick<Outcome, 'refCode' | 'status' | 'hasForm' | 'agentHasKeys'> &
  Pick<Api.SentMessage, 'createdAt'>;

const sentMessage = (status: 200 | 201, message: StoredMessage): RouteResponse => ({
  status,
  body: {
    requestId: message.requestId,
    refCode: message.refCode,
    status: message.status,
    messageId: message.messageId,
    role: message.content.role,
    createdAt: message.createdAt,
    ...warningOf(message),
  } satisfies Api.SentMessage,
});

/** The contract lets the expert send words where the agent does not take them. The expert should not believe that they count. */
function warningOf({ content, agentHasKeys, hasForm }: StoredMessage): Pick<Api.SentMessage, 'warning'> {
  if (content.role === 'consumer' || content.ciphertext !== null) return {};
  if (agentHasKeys) return { warning: 'agent_refuses_plaintext' };
  return hasForm && content.answer === null ? { warning: 'not_a_decision' } : {};
}

const missingRole = () =>
  new Problem('invalid_request', {
    fields: [{ path: 'role', code: 'required', message: 'Expected consumer or provider.' }],
  });

const wrongFormAnswer = (message: string) =>
  new Problem('invalid_request', { fields: [{ path: 'answer', code: 'value', message }] });
