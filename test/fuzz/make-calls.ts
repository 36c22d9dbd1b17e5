import { Agent } from 'node:http';
import { untilAvailable } from '@expert-relay/testkit';
import fc from 'fast-check';
import { checkResponse } from '../black-box/check-response.ts';
import type { NamedOperation } from '../black-box/document.ts';
import { type HttpCall, type HttpResponse, sendCall } from '../black-box/http-call.ts';
import type { RelaySetup } from '../black-box/use-relay.ts';
import { asCurl } from './as-curl.ts';
import { hostileCall, type Inputs } from './hostile-call.ts';
import { oddCalls } from './odd-calls.ts';

/** The same seed makes the same calls. */
export const seed = Number(process.env.RELAY_FUZZ_SEED ?? 1);
export const concurrency = 16;
const slowMs = 30_000;

interface CallToMake {
  readonly call: HttpCall;
  /** The operation of a call with an odd text in its path. */
  readonly operation?: NamedOperation;
}

/** Makes hostile calls that are drawn at random. Returns what is wrong with their responses. */
export async function makeDrawnCalls({ relay }: RelaySetup, count: number): Promise<string[]> {
  const inputs = await makeInputs(relay);
  const failures: string[] = [];
  for (let made = 0, block = 0; made < count && failures.length === 0; made += 500, block++) {
    const numRuns = Math.min(500, count - made);
    const sample = fc.sample(hostileCall(inputs), { seed: seed + block, numRuns });
    failures.push(
      ...(await makeCalls(
        relay.url,
        sample.map((call) => ({ call })),
      )),
    );
  }
  return failures;
}

/** Makes every `step`th call with an odd text. The seed chooses the first. */
export async function makeOddCalls({ relay, alice }: RelaySetup, step: number): Promise<string[]> {
  const { requestId, refCode } = await alice.consumer.newRequest();
  const { keyId } = await alice.newKey('consumer');
  const ids = { requestId, refCode, keyId, provider: 'github', page: 'requests', file: 'x.js' };
  return makeCalls(relay.url, oddCalls(alice, ids, { step, first: seed }));
}

async function makeCalls(url: string, calls: Iterable<CallToMake>): Promise<string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const failures: string[] = [];
  const waiting = calls[Symbol.iterator]() as IterableIterator<CallToMake>;
  const one = async () => {
    for (const { call, operation } of waiting) {
      const start = performance.now();
      // A call that is always 503 is a failure.
      const sending = untilAvailable(() => sendCall(url, call, agent));
      const response = await sending.catch((error: Error) => error);
      const found = response instanceof Error ? [response.message] : failuresOf(call, response, operation);
      const took = Math.round(performance.now() - start);
      if (took > slowMs) found.push(`it took ${took} ms`);
      if (found.length > 0)
        failures.push(`seed ${seed}: ${found.join('; ')}\n${asCurl(url, call).slice(0, 2_000)}`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, one));
  agent.destroy();
  return failures;
}

function failuresOf(call: HttpCall, response: HttpResponse, operation: NamedOperation | undefined): string[] {
  if (response.status >= 500) return [`${response.status} ${response.text}`];
  // Without a session, this path leads to the provider; `checkResponse` takes every redirect of /auth/* for one of a session.
  if (operation?.path === '/auth/{provider}' && response.status === 302) return [];
  return checkResponse(call, response);
}

/** Valid keys and ids. Some of the calls will close, revoke and rotate them. */
async function makeInputs(relay: RelaySetup['relay']): Promise<Inputs> {
  const user = await relay.signUp('fuzz');
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
