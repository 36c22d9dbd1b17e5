import { once } from 'node:events';
import { Agent } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ask } from '../black-box/ask.ts';
import { checkAnswer } from '../black-box/check-answer.ts';
import { openOwnRelay } from '../black-box/open-relay.ts';
import { useRelay } from '../black-box/use-relay.ts';

/** In the place of messages: hears a call, and hangs up without a word. */
const rude = createServer((socket) => socket.once('data', () => socket.destroy()));
rude.listen(0, '127.0.0.1');
await once(rude, 'listening');
const url = `http://127.0.0.1:${(rude.address() as AddressInfo).port}`;

const here = useRelay(() => openOwnRelay({ env: { RELAY_MESSAGES_URL: url } }));
const agent = new Agent();
let requestId = '';

beforeAll(async () => {
  requestId = (await here.alice.consumer.newRequest()).requestId;
});
afterAll(() => {
  agent.destroy();
  rude.close();
});

/** What a call of messages gets, over the key and over the session: another service stands in between there. */
async function callMessages(): Promise<{ status: number; error: string; retryAfter: string | undefined }[]> {
  const { provider, session } = here.alice;
  const json = { 'content-type': 'application/json' };
  const body = JSON.stringify({ role: 'provider', plaintext: 'x' });
  const calls = [
    { method: 'GET', path: `/api/v1/messages/${requestId}`, headers: provider.headers },
    { method: 'POST', path: `/api/v1/message/${requestId}`, headers: { ...provider.headers, ...json }, body },
    { method: 'GET', path: `/api/requests/${requestId}`, headers: session.headers },
    {
      method: 'POST',
      path: `/api/requests/${requestId}/messages`,
      headers: { ...session.headers, ...json },
      body,
    },
  ];
  return await Promise.all(
    calls.map(async (call) => {
      const answer = await ask(here.relay.url, call, agent);
      expect(checkAnswer(call, answer)).toEqual([]);
      const { status, headers, json } = answer;
      return { status, error: json.error, retryAfter: headers['retry-after'] };
    }),
  );
}

describe('a service', () => {
  test('that breaks off before it answers: 502, as documented', async () => {
    for (const answer of await callMessages()) {
      expect(answer).toMatchObject({ status: 502, error: 'bad_gateway' });
    }
  });

  test('that is gone: 503 with Retry-After, as documented, and the others serve on', async () => {
    await new Promise((resolve) => rude.close(resolve));
    for (const answer of await callMessages()) {
      expect(answer).toEqual({
        status: 503,
        error: 'unavailable',
        retryAfter: expect.stringMatching(/^\d+$/),
      });
    }
    expect((await here.alice.provider.get('/api/v1/requests')).status).toBe(200);
  });
});
