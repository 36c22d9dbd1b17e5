import { parseJson, readBody } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import type { Request, RequestHandler } from 'express';
import type { CompleteSignIn } from './complete-sign-in.ts';

/** The sign-in of the local run: any name without a password. It exists only where `RELAY_DEV_LOGIN` is set. */
export const signInDev =
  (completeSignIn: CompleteSignIn): RequestHandler =>
  async (request, response) => {
    const name = await readName(request);
    const identity = { provider: 'dev', subject: name, name, label: name, verifiedEmails: [] } as const;
    await completeSignIn(request, response, identity);
  };

async function readName(request: Request): Promise<string> {
  const bytes = await readBody(request, 4096);
  const name = request.is('application/json')
    ? parseJson(bytes).user
    : new URLSearchParams(bytes.toString('utf8')).get('user');
  if (typeof name === 'string' && /^[\w.@-]{1,64}$/.test(name)) return name;
  throw new Problem('invalid_request', {
    fields: [{ path: 'user', code: 'format', message: 'Expected 1 to 64 letters, digits or any of . _ @ -' }],
  });
}
