import { untilAvailable } from './until-available.ts';

/** Signs a user in at a relay with the local sign-in, and returns the cookie of the session. */
export async function signInDev(url: string, user: string): Promise<string> {
  const response = await untilAvailable(() =>
    fetch(`${url}/auth/dev`, { method: 'POST', body: new URLSearchParams({ user }), redirect: 'manual' }),
  );
  const [cookie] = response.headers.getSetCookie();
  if (!cookie) throw new Error(`POST /auth/dev responded with ${response.status} without a cookie.`);
  return cookie.split(';')[0] ?? '';
}
