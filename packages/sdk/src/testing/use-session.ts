import { beforeAll } from '@jest/globals';
import { createExpert, type Expert, type SessionExpertOptions } from '../expert/index.ts';
import { quick } from './quick.ts';
import type { TestServer } from './use-test-server.ts';

/** A signed-in user with a consumer key. Its members can be used once the tests run. */
export interface TestSession {
  readonly consumerKey: string;
  /** A browser's fetch, which adds the cookie. */
  readonly fetch: typeof fetch;
  makeKey(kind: 'consumer' | 'provider'): Promise<string>;
  /** An expert with the session's cookie, as in a browser. It is stopped after the tests. */
  expert(options?: Partial<Omit<SessionExpertOptions, 'session'>>): Expert;
}

export function useSession(server: TestServer): TestSession {
  let cookie = '';
  let consumerKey = '';
  const post = (path: string, body: object) =>
    fetch(server.gatewayUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(cookie && { cookie }) },
      body: JSON.stringify(body),
      redirect: 'manual',
    });
  async function makeKey(kind: 'consumer' | 'provider'): Promise<string> {
    const made = await post('/api/keys', { name: 'laptop', kind });
    return ((await made.json()) as { key: string }).key;
  }
  beforeAll(async () => {
    const signedIn = await post('/auth/dev', { user: `user-${crypto.randomUUID().slice(0, 8)}` });
    cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    consumerKey = await makeKey('consumer');
  });
  const browserFetch: typeof fetch = (input, init = {}) => {
    const headers = new Headers(init.headers);
    if (init.credentials === 'same-origin') headers.set('cookie', cookie);
    return fetch(input, { ...init, headers });
  };
  return {
    fetch: browserFetch,
    makeKey,
    get consumerKey() {
      return consumerKey;
    },
    expert(options) {
      const expert = createExpert({
        session: true,
        url: server.gatewayUrl,
        hubUrl: server.hubUrl,
        timing: quick,
        fetch: browserFetch,
        ...options,
      });
      server.onStop(expert.stop);
      return expert;
    },
  };
}
