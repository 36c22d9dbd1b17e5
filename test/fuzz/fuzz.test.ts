import { Agent } from 'node:http';
import { untilAvailable } from '@expert-relay/testkit';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkAnswer } from '../black-box/check-answer.ts';
import { type Answer, type HttpCall, sendCall } from '../black-box/http-call.ts';
import { rawAnswer } from '../black-box/raw-answer.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { asCurl } from './as-curl.ts';
import { hostileBytes } from './hostile-bytes.ts';
import { hostileCall, type Inputs } from './hostile-call.ts';

const here = useRelay();
/** The same seed makes the same calls. */
const seed = Number(process.env.RELAY_FUZZ_SEED ?? 1);
const calls = Number(process.env.RELAY_FUZZ_CALLS ?? 10_000);
const concurrency = 16;
const slowMs = 30_000;

test(`${calls} hostile calls: no 5xx, no hang, only answers that openapi.yaml allows`, async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const inputs = await makeInputs();
  const failures: string[] = [];
  let made = 0;

  async function make(call: HttpCall): Promise<void> {
    const start = performance.now();
    // A call that is always 503 is a failure.
    const sending = untilAvailable(() => sendCall(here.relay.url, call, agent));
    const answer = await sending.catch((error: Error) => error);
    made++;
    const found = answer instanceof Error ? [answer.message] : failuresOf(call, answer);
    if (performance.now() - start > slowMs) found.push(`it took ${Math.round(performance.now() - start)} ms`);
    if (found.length > 0) failures.push(`seed ${seed}: ${found.join('; ')}\n${asCurl(here.relay.url, call)}`);
  }

  for (let block = 0; made < calls && failures.length === 0; block++) {
    const sample = fc.sample(hostileCall(inputs), {
      seed: seed + block,
      numRuns: Math.min(500, calls - made),
    });
    const waiting = sample.values();
    await Promise.all(
      Array.from({ length: concurrency }, async () => {
        for (const call of waiting) await make(call);
      }),
    );
  }
  agent.destroy();
  expect(failures.slice(0, 5)).toEqual([]);
  expect(made).toBe(calls);
  expect((await here.relay.anonymous.get('/api/health')).json.status).toBe('ok');
});

test('1,000 nearly valid HTTP requests: a status below 500, or no answer', async () => {
  const failures: string[] = [];
  const waiting = fc.sample(hostileBytes, { seed, numRuns: 1_000 }).values();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (const bytes of waiting) {
        const answer = await rawAnswer(here.relay.url, bytes).catch((error: Error) => ({
          status: 999,
          text: error.message,
        }));
        if (answer.status >= 500) {
          failures.push(
            `seed ${seed}: ${answer.text}\necho ${bytes.toString('base64')} | base64 -d | nc ${new URL(here.relay.url).host.replace(':', ' ')}`,
          );
        }
      }
    }),
  );
  expect(failures.slice(0, 5)).toEqual([]);
  expect((await here.relay.anonymous.get('/api/health')).json.status).toBe('ok');
});

function failuresOf(call: HttpCall, answer: Answer): string[] {
  if (answer.status >= 500) return [`${answer.status} ${answer.text}`];
  return checkAnswer(call, answer);
}

/** Valid keys and ids. Some of the calls will close, revoke and rotate them. */
async function makeInputs(): Promise<Inputs> {
  const user = await here.relay.signUp('fuzz');
  const requests = await Promise.all(Array.from({ length: 10 }, () => user.consumer.newRequest()));
  const keys = await Promise.all(Array.from({ length: 10 }, () => user.newKey('consumer', 'spare')));
  const [webhooks, deliveries, channels]: [string[], string[], string[]] = [[], [], []];
  for (const caller of [user.consumer, user.session]) {
    const path = caller === user.session ? '/api/webhooks' : '/api/v1/webhooks';
    const { id } = (await caller.post(path, { url: 'http://127.0.0.1:9/hook' })).json;
    webhooks.push(id);
    deliveries.push((await caller.post(`${path}/${id}/test`)).json.id);
  }
  for (const name of ['one', 'two']) {
    const channel = { kind: 'chat', url: `http://127.0.0.1:9/${name}` };
    channels.push((await user.session.post('/api/notifications/channels', channel)).json.id);
  }
  return {
    consumerKey: user.consumer.key,
    providerKey: user.provider.key,
    cookie: user.session.headers.cookie ?? '',
    ids: {
      requestId: requests.map(({ requestId }) => requestId),
      refCode: requests.map(({ refCode }) => refCode),
      keyId: keys.map(({ keyId }) => keyId),
      sessionId: [await user.newSession(), await user.newSession()],
      webhookId: webhooks,
      deliveryId: deliveries,
      channelId: channels,
      provider: ['github', 'google', 'oidc', 'dev'],
      page: ['requests'],
    },
  };
}
