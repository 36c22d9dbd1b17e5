import type { WhoAmI } from '@expert-relay/sdk';
import { z } from 'zod';
import { Failure } from '../failure.ts';
import type { Access } from '../settings/require-relay.ts';
import { callRelay } from './call-relay.ts';
import { quoteProblem } from './quote-problem.ts';

const schema = z.object({
  kind: z.enum(['consumer', 'provider']),
  name: z.string(),
  userId: z.string().regex(/^[\w-]+$/),
  topics: z.array(z.string()),
});

/** What the relay knows of this key. */
export async function whoami(access: Access, signal: AbortSignal): Promise<WhoAmI> {
  const { status, body } = await callRelay(access, { path: '/api/v1/whoami', signal });
  const parsed = schema.safeParse(body);
  if (status !== 200 || !parsed.success) {
    const sentence = `${access.url} does not answer as a relay does (${status}). Is RELAY_URL right?`;
    throw new Failure('failed', quoteProblem(status, body) || sentence);
  }
  return parsed.data;
}
