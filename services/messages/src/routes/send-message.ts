import {
  endedProblem,
  formatRefCode,
  type PrismaClient,
  type RequestStatus,
  requestIdFrom,
  roleOf,
} from '@expert-relay/db';
import { type Answer, defineRoute, parseBody } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import type { Context } from '../context.ts';
import { insertMessage, type NewMessage, type Outcome } from '../conversation/insert-message.ts';
import { messageSchema } from '../conversation/message-schema.ts';
import { contentOf, isSame } from '../conversation/stored-message.ts';

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

      const message = {
        requestId: requestIdFrom(params),
        messageId: parsed.messageId ?? callId,
        content: contentOf(role, parsed),
      };
      const outcome = await insertMessage(context.query, principal, message);
      if (!outcome) throw new Problem('not_found');
      if (!outcome.createdAt) return repeatedOrRefused(context.prisma, message, outcome);

      context.nudge();
      const status = role === 'provider' ? 'responded' : outcome.status;
      return answer(201, { ...outcome, ...message, status, createdAt: outcome.createdAt });
    },
  });

/** Nothing was inserted: because the message is there already, or because nothing more is taken. */
async function repeatedOrRefused(
  prisma: PrismaClient,
  message: NewMessage,
  outcome: Outcome,
): Promise<Answer> {
  const earlier = await prisma.message.findUnique({
    where: {
      requestId_messageKey: { requestId: message.requestId, messageKey: message.messageId.toLowerCase() },
    },
  });
  if (earlier) {
    if (!isSame(earlier, message.content)) throw new Problem('message_id_taken');
    const status = await firstStatus(prisma, earlier);
    const createdAt = earlier.createdAt.toISOString();
    return answer(200, { ...outcome, ...message, messageId: earlier.messageId, createdAt, status });
  }
  if (outcome.status === 'closed' || outcome.status === 'expired') throw endedProblem(outcome.status);
  if (!outcome.hasRoom) throw new Problem('conversation_full');
  throw new Error('a message was neither inserted nor there');
}

/** What a message was answered with when it was new: it was open then, and responded from the first reply on. */
async function firstStatus(
  prisma: PrismaClient,
  { requestId, seq }: { requestId: string; seq: number },
): Promise<RequestStatus> {
  const reply = await prisma.message.findFirst({
    where: { requestId, role: 'provider', seq: { lte: seq } },
    select: { seq: true },
  });
  return reply ? 'responded' : 'pending';
}

interface Sent extends NewMessage {
  refCode: string;
  status: RequestStatus;
  createdAt: string;
}

const answer = (status: 200 | 201, sent: Sent): Answer => ({
  status,
  body: {
    requestId: sent.requestId,
    refCode: formatRefCode(sent.refCode),
    status: sent.status,
    messageId: sent.messageId,
    role: sent.content.role,
    createdAt: sent.createdAt,
  },
});

const missingRole = () =>
  new Problem('invalid_request', {
    fields: [{ path: 'role', code: 'required', message: 'Expected consumer or provider.' }],
  });
