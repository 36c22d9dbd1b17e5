import { z } from 'zod';
import { Failure } from '../failure.ts';
import type { Access } from '../settings/require-relay.ts';
import { callRelay } from './call-relay.ts';

const status = z.enum(['pending', 'responded', 'closed', 'expired']);
const state = z.object({
  requestId: z.string().regex(/^[\w-]+$/),
  // Shown in lines of our own: nothing but a code and times gets there.
  refCode: z.string().regex(/^HS-[0-9A-Z]{1,32}$/),
  status,
  responseCount: z.number(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
});
const list = z.object({ requests: z.array(state.extend({ question: z.string() })) });
const message = z.object({
  role: z.enum(['consumer', 'provider']),
  messageId: z.string(),
  createdAt: z.iso.datetime(),
  plaintext: z.string().nullish(),
  encrypted: z.unknown(),
});
const conversation = state.extend({
  question: z.string().nullish(),
  plaintext: z.string().nullish(),
  context: z.array(z.object({ role: z.string(), content: z.string() })).nullish(),
  messages: z.array(message),
});

export type FoundRequest = z.infer<typeof state>;
export type ListedRequest = z.infer<typeof list>['requests'][number];
/** As the relay tells it: nothing of it is decrypted or verified. */
export type RawConversation = z.infer<typeof conversation>;

/** A request of this key's, by its reference code. */
export async function findRequest(
  access: Access,
  refCode: string,
  signal: AbortSignal,
): Promise<FoundRequest> {
  return await read(access, {
    path: `/api/v1/requests/by-ref/${refCode}`,
    // Another one's would be closed, or answered, in its place.
    schema: state.extend({ refCode: z.literal(refCode) }),
    name: refCode,
    signal,
  });
}

export async function readConversation(
  access: Access,
  { requestId, refCode }: FoundRequest,
  signal: AbortSignal,
): Promise<RawConversation> {
  return await read(access, {
    path: `/api/v1/messages/${requestId}`,
    schema: conversation,
    name: refCode,
    signal,
  });
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

interface Read<T> {
  path: string;
  schema: z.ZodType<T>;
  /** Of the one request that it is about. */
  name?: string;
  signal: AbortSignal;
}

async function read<T>(access: Access, { path, schema, name, signal }: Read<T>): Promise<T> {
  const { status: code, body } = await callRelay(access, { path, signal });
  if (code === 404 && name !== undefined) {
    throw new Failure('unknown', `${name} does not exist, or is not yours. Yours are listed by: relay show`);
  }
  const parsed = schema.safeParse(body);
  if (code === 200 && parsed.success) return parsed.data;
  throw new Failure(
    'failed',
    `The relay gave an answer about ${name ?? 'your requests'} that makes no sense (${code}). Is RELAY_URL right?`,
  );
}
