import type { WhoAmI } from '@expert-relay/sdk';
import * as z from 'zod';
import { Failure } from '../failure.ts';
import { callRelay, describeProblem } from './call-relay.ts';
import type { Access } from './require-relay.ts';

const schema: z.ZodType<WhoAmI> = z.object({
  kind: z.enum(['consumer', 'provider']),
  name: z.string(),
  userId: z.string().regex(/^[\w-]+$/),
  topics: z.array(z.string()),
});

/** To whom this key belongs. */
export async function whoami(access: Access, signal: AbortSignal): Promise<WhoAmI> {
  const { status, body } = await callRelay(access, { path: '/api/v1/whoami', signal });
  const parsed = schema.safeParse(body);
  if (status !== 200 || !parsed.success) {
    const sentence = `${access.url} does not answer as a relay does (${status}). Is RELAY_URL right?`;
    throw new Failure('failed', describeProblem(status, body) || sentence);
  }
  return parsed.data;
}
