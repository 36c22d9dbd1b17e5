import { untilAvailable } from './until-available.ts';

/** Signs a user in at a relay with the local sign-in, and returns the cookie of the session. */
export async function signInDev(url: string, user: string): Promise<string> {
  const answer = await untilAvailable(() =>
    fetch(`${url}/auth/dev`, { method: 'POST', body: new URLSearchParams({ user }), redirect: 'manual' }),
  );
  const [cookie] = answer.headers.getSetCookie();
  if (!cookie) throw new Error(`POST /auth/dev answered ${answer.status} without a cookie.`);
  return cookie.split(';')[0] ?? '';
}
