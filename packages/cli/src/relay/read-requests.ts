import type { ListedRequest, RequestState } from '@expert-relay/sdk';
import { hasEnded } from '@expert-relay/sdk/transport';
import * as z from 'zod';
import { Failure } from '../failure.ts';
import { callRelay, describeProblem, isTooLarge } from './call-relay.ts';
import type { Access } from './require-relay.ts';

const status = z.enum(['pending', 'responded', 'closed', 'expired']);
const state = z.object({
  requestId: z.string().regex(/^[\w-]+$/),
  // Both are shown inside our own sentences, so they must contain nothing else.
  refCode: z.string().regex(/^HS-[0-9A-Z]{1,32}$/),
  status,
  responseCount: z.number(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
});
/** The relay's own statements, which nothing checks. */
const notes = {
  tags: z.array(z.string().max(80)).max(10).default([]),
  closedBy: z.enum(['consumer', 'provider']).optional(),
  closeReason: z.string().max(500).optional(),
};
const list = z.object({
  requests: z.array(state.extend({ ...notes, question: z.string(), messageCount: z.number() })),
});
const message = z.object({
  role: z.enum(['consumer', 'provider']),
  messageId: z.string().max(64),
  createdAt: z.iso.datetime().max(40),
  plaintext: z.string().nullish(),
});
const listedConversation = state.extend({
  ...notes,
  question: z.string().nullish(),
  plaintext: z.string().nullish(),
  agentName: z.string().nullish(),
  agentVersions: z.string().nullish(),
  answerForm: z.string().nullish(),
  context: z.array(z.object({ role: z.string(), content: z.string() })).nullish(),
  erasedAt: z.iso.datetime().nullish(),
  messages: z.array(message),
  next: z.number().optional(),
});
// The content of an open conversation is never erased: there the member is ignored, as in the SDK.
const conversation = listedConversation.transform(({ erasedAt, ...listed }) =>
  hasEnded(listed) ? { ...listed, erasedAt } : listed,
);

/** As the relay lists it: not decrypted and not verified. */
export type RawConversation = Omit<z.infer<typeof listedConversation>, 'next'>;

/** A request of this key, by its reference code. */
export async function findRequest(
  access: Access,
  refCode: string,
  signal: AbortSignal,
): Promise<RequestState> {
  return await read(access, {
    path: `/api/v1/requests/by-ref/${refCode}`,
    // Otherwise a lying relay could have another request closed or answered instead.
    schema: state.extend({ refCode: z.literal(refCode) }),
    name: refCode,
    signal,
  });
}

/** Messages per call, halved after an answer that was too large. */
const pageSize = 50;
/** Such a page is never too large for the SDK's reader: each message, and the rest of the answer, take at most 1 MiB. */
const smallPageSize = 6;
/** All characters, and 1,000 more for each message. A relay allows 64 MiB in 10,000 messages. */
const maxTotalLength = 1e8;

export async function readConversation(
  access: Access,
  { requestId, refCode }: RequestState,
  signal: AbortSignal,
): Promise<RawConversation> {
  let messages: RawConversation['messages'] = [];
  let length = 0;
  let after = 0;
  for (let limit = pageSize; ; ) {
    try {
      const { next, ...page } = await read(access, {
        path: `/api/v1/messages/${requestId}?after=${after}&limit=${limit}`,
        schema: conversation,
        name: refCode,
        signal,
      });
      messages = messages.concat(page.messages);
      for (const { plaintext } of page.messages) length += (plaintext?.length ?? 0) + 1_000;
      if (next === undefined) return { ...page, messages };
      if (next <= after || page.messages.length === 0 || length > maxTotalLength)
        throw invalidAnswer(200, refCode);
      after = next;
    } catch (error) {
      if (limit <= smallPageSize || !isTooLarge(error)) throw error;
      limit >>= 1;
    }
  }
}

/** The newest of this key's requests. */
export async function listRequests(
  access: Access,
  limit: number,
  signal: AbortSignal,
): Promise<ListedRequest[]> {
  const path = `/api/v1/requests?limit=${limit}`;
  return (await read(access, { path, schema: list, signal })).requests;
}

/** The same with their content, unread: the SDK checks it before an expert is shown any of it. */
export async function listRows(access: Access, limit: number, signal: AbortSignal): Promise<unknown[]> {
  const path = `/api/v1/requests?content=true&limit=${limit}`;
  const schema = z.object({ requests: z.array(z.unknown()) });
  return (await read(access, { path, schema, signal })).requests;
}

interface Read<T> {
  path: string;
  schema: z.ZodType<T>;
  /** The reference code of the request, for messages. */
  name?: string;
  signal: AbortSignal;
}

async function read<T>(access: Access, { schema, name, ...call }: Read<T>): Promise<T> {
  const { status: code, body } = await callRelay(access, call);
  if (code === 404 && name !== undefined) {
    throw new Failure('unknown', `${name} does not exist, or is not yours. Yours are listed by: relay show`);
  }
  const parsed = schema.safeParse(body);
  if (code === 200 && parsed.success) return parsed.data;
  const quoted = describeProblem(code, body);
  throw quoted ? new Failure('failed', quoted) : invalidAnswer(code, name);
}

const invalidAnswer = (code: number, name = 'your requests') =>
  new Failure('failed', `The relay's answer about ${name} is not valid (${code}). Is RELAY_URL right?`);
