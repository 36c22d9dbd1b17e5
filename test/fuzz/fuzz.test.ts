import { Agent } from 'node:http';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkAnswer } from '../black-box/check-answer.ts';
import { type Answer, type HttpCall, sendCall } from '../black-box/http-call.ts';
import { rawAnswer } from '../black-box/raw-answer.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { asCurl } from './as-curl.ts';
import { hostileBytes } from './hostile-bytes.ts';
import { hostileCall, type Supplies } from './hostile-call.ts';

const here = useRelay();
/** The same seed makes the same calls; another one finds other faults. */
const seed = Number(process.env.RELAY_FUZZ_SEED ?? 1);
const calls = Number(process.env.RELAY_FUZZ_CALLS ?? 10_000);
const atOnce = 16;
const slow = 5_000;

test(`${calls} hostile calls: no 5xx, no hang, nothing that the document does not say`, async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const supplies = await gather();
  const faults: string[] = [];
  let made = 0;

  async function make(call: HttpCall): Promise<void> {
    const start = performance.now();
    const answer = await sendCall(here.relay.url, call, agent).catch((error: Error) => error);
    made++;
    const found = answer instanceof Error ? [answer.message] : faultsIn(call, answer);
    if (performance.now() - start > slow) found.push(`it took ${Math.round(performance.now() - start)} ms`);
    if (found.length > 0) faults.push(`seed ${seed}: ${found.join('; ')}\n${asCurl(here.relay.url, call)}`);
  }

  for (let block = 0; made < calls && faults.length === 0; block++) {
    const sample = fc.sample(hostileCall(supplies), {
      seed: seed + block,
      numRuns: Math.min(500, calls - made),
    });
    const waiting = sample.values();
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (const call of waiting) await make(call);
      }),
    );
  }
  agent.destroy();
  expect(faults.slice(0, 5)).toEqual([]);
  expect(made).toBe(calls);
  expect((await here.relay.anonymous.get('/api/health')).json.status).toBe('ok');
}, 300_000);

test('1,000 texts that are hardly HTTP: an answer below 500, or none', async () => {
  const faults: string[] = [];
  const waiting = fc.sample(hostileBytes, { seed, numRuns: 1_000 }).values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const bytes of waiting) {
        const answer = await rawAnswer(here.relay.url, bytes).catch((error: Error) => ({
          status: 999,
          text: error.message,
        }));
        if (answer.status >= 500) {
          faults.push(
            `seed ${seed}: ${answer.text}\necho ${bytes.toString('base64')} | base64 -d | nc ${new URL(here.relay.url).host.replace(':', ' ')}`,
          );
        }
      }
    }),
  );
  expect(faults.slice(0, 5)).toEqual([]);
  expect((await here.relay.anonymous.get('/api/health')).json.status).toBe('ok');
}, 300_000);

function faultsIn(call: HttpCall, answer: Answer): string[] {
  if (answer.status >= 500) return [`${answer.status} ${answer.text}`];
  return checkAnswer(call, answer);
}

/** Keys that work and things to work on, some of which calls will close, revoke and rotate. */
async function gather(): Promise<Supplies> {
  const user = await here.relay.signUp('fuzz');
  const requests = await Promise.all(Array.from({ length: 10 }, () => user.consumer.newRequest()));
  const keys = await Promise.all(Array.from({ length: 10 }, () => user.newKey('consumer', 'spare')));
  return {
    consumerKey: user.consumer.key,
    providerKey: user.provider.key,
    cookie: user.session.headers.cookie ?? '',
    requestIds: requests.map(({ requestId }) => requestId),
    refCodes: requests.map(({ refCode }) => refCode),
    keyIds: keys.map(({ keyId }) => keyId),
  };
}
