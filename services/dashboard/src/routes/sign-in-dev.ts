import { parseJson, readBody } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import type { Request, RequestHandler } from 'express';
import type { FindUser } from '../session/find-user.ts';
import { signIn } from '../session/sign-in.ts';

/** The local run's way in: any name, no password. Mounted only where `RELAY_DEV_LOGIN` says so. */
export const signInDev =
  ({ findUser }: { findUser: FindUser }): RequestHandler =>
  async (request, response) => {
    const name = await readName(request);
    const { userId } = await findUser({ provider: 'dev', subject: name, name }, response.locals.callId);
    await signIn(request, userId);
    response.redirect(303, '/dashboard');
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
