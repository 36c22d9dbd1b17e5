import { setTimeout as pause } from 'node:timers/promises';
import { openStream, signInDev, submit, topicUrl } from '@expert-relay/testkit';
import type { Product } from './run-product.ts';

/** Repeated calls of an agent, an expert, a browser session and readers. */
export interface Load {
  /** The number of successful calls of each kind. */
  readonly answered: Readonly<Record<string, number>>;
  /** All failed calls, with their errors. */
  readonly failures: readonly string[];
  stop(): Promise<void>;
}

export interface User {
  readonly userId: string;
  readonly consumerKey: string;
  readonly providerKey: string;
}

export async function callAll({ gatewayUrl, hubUrl }: Product, user: User): Promise<Load> {
  const answered: Record<string, number> = {};
  const failures: string[] = [];
  let cookie = await signInDev(gatewayUrl, 'ada');
  let stopping = false;

  async function expectOk(name: string, call: Promise<Response>): Promise<Response> {
    const response = await call;
    const text = response.ok ? '' : await response.clone().text();
    if (!response.ok) throw new Error(`${name} responded with ${response.status}: ${text}`);
    return response;
  }

  const json = { 'content-type': 'application/json' };
  const asExpert = { 'x-api-key': user.providerKey };
  const kinds: Record<string, () => Promise<unknown>> = {
    async conversation() {
      const { status, body } = await submit(gatewayUrl, user.consumerKey);
      if (status !== 201) throw new Error(`submit responded with ${status}`);
      const message = JSON.stringify({ role: 'provider', plaintext: 'Yes.' });
      const path = `${gatewayUrl}/api/v1/message/${body.requestId}`;
      await expectOk(
        'send',
        fetch(path, { method: 'POST', headers: { ...json, ...asExpert }, body: message }),
      );
      await expectOk('poll', fetch(`${gatewayUrl}/api/v1/help/${body.requestId}`));
    },
    async list() {
      await expectOk('list', fetch(`${gatewayUrl}/api/v1/requests?limit=5`, { headers: asExpert }));
    },
    async session() {
      const me = await expectOk('me', fetch(`${gatewayUrl}/api/me`, { headers: { cookie } }));
      cookie = me.headers.get('set-cookie')?.split(';')[0] ?? cookie;
      await expectOk('inbox', fetch(`${gatewayUrl}/api/requests`, { headers: { cookie } }));
    },
    async 'stream with a token'() {
      const { topics } = (await (await fetch(`${gatewayUrl}/api/me`, { headers: { cookie } })).json()) as {
        topics: string[];
      };
      const headers = { ...json, cookie, origin: gatewayUrl };
      const options = { method: 'POST', headers, body: JSON.stringify({ topics }) };
      const response = await expectOk('stream token', fetch(`${gatewayUrl}/api/stream-token`, options));
      const { token } = (await response.json()) as { token: string };
      await readStream(topics[0] ?? '', { authorization: `Bearer ${token}` });
    },
    'stream with a key': () => readStream(`/svc/providers/${user.userId}`, asExpert),
  };

  async function readStream(topic: string, headers: Record<string, string>): Promise<void> {
    const stream = await openStream(topicUrl(hubUrl, topic), { headers });
    await stream.close();
    const { status } = stream.response;
    const type = stream.response.headers.get('content-type');
    if (status !== 200 || !type?.startsWith('text/event-stream'))
      throw new Error(`the hub responded with ${status}`);
  }

  const loops = Object.entries(kinds).map(async ([name, call]) => {
    while (!stopping) {
      try {
        await call();
        answered[name] = (answered[name] ?? 0) + 1;
      } catch (error) {
        const { message, cause } = error as Error;
        failures.push(`${new Date().toISOString()} ${name}: ${message} ${cause ?? ''}`);
      }
      await pause(50);
    }
  });
  return {
    answered,
    failures,
    async stop() {
      stopping = true;
      await Promise.all(loops);
    },
  };
}
