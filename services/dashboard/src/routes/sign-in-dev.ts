import { parseJson, readBody } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import type { Request, RequestHandler } from 'express';
import type { SignIn } from '../session/sign-in.ts';

/**
 * The sign-in of the local run: any name without a password. It exists only where `RELAY_DEV_LOGIN` is set. It leads to the start
 * page, except for the form of the sign-in page, which leads to the page that the person wanted to see.
 */
export const signInDev =
  (signIn: SignIn): RequestHandler =>
  async (request, response) => {
    const { name, isOfPage } = await readForm(request);
    const identity = { provider: 'dev', subject: name, name, label: name, verifiedEmails: [] } as const;
    await signIn(request, response, identity, { page: isOfPage ? undefined : '/dashboard' });
  };

async function readForm(request: Request): Promise<{ name: string; isOfPage: boolean }> {
  const bytes = await readBody(request, 4096);
  const form = request.is('application/json')
    ? parseJson(bytes)
    : Object.fromEntries(new URLSearchParams(bytes.toString('utf8')));
  const { user: name, from } = form;
  if (typeof name === 'string' && /^[\w.@-]{1,64}$/.test(name)) return { name, isOfPage: from === 'page' };
  throw new Problem('invalid_request', {
    fields: [{ path: 'user', code: 'format', message: 'Expected 1 to 64 letters, digits or any of . _ @ -' }],
  });
}
