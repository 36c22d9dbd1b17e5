import { type Constellation, startConstellation } from '@expert-relay/constellation';
import { eventually, type LyingRelay, startLyingRelay } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createRelay } from '../index.ts';
import { quick } from '../testing/quick.ts';
import { createExpert } from './create-expert.ts';
import type { Expert } from './expert.ts';

let world: Constellation;
let liar: LyingRelay;
let expert: Expert;
let ask: (question: string) => Promise<string>;
let close: (requestId: string) => Promise<void>;

beforeAll(async () => {
  world = await startConstellation({ env: { RELAY_HUB_RETRY: '100ms' } });
});
afterAll(async () => world.stop());

beforeEach(async () => {
  const { consumerKey, providerKey } = await world.makeTenant();
  liar = await startLyingRelay(world);
  const relay = createRelay({ url: world.gatewayUrl, apiKey: consumerKey, timing: quick });
  expert = createExpert({ url: liar.url, apiKey: providerKey, timing: quick });
  const honest = createExpert({ url: world.gatewayUrl, apiKey: providerKey, timing: quick });
  close = async (requestId) => (await honest.request(requestId)).close();
  ask = async (question) => (await relay.ask({ question })).requestId;
});
afterEach(async () => {
  expert.stop();
  await liar.stop();
});

const patiently = { within: 20_000 };
const broken = { status: 500, body: {} };

/** What is handed out, question by question. */
function listen(signal?: AbortSignal) {
  const questions: string[] = [];
  const ended = (async () => {
    for await (const { question } of expert.requests({ signal })) questions.push(question);
  })();
  return { questions, ended };
}

test('requests that cannot be read keep nobody waiting, and come once they can be', async () => {
  const broke = new Set([await ask('a'), await ask('b')]);
  await ask('c');
  let tries = 0;
  liar.tell({
    swallow({ path }) {
      if (![...broke].some((id) => path.includes(`/messages/${id}`))) return undefined;
      tries += 1;
      return broken;
    },
  });
  const { questions, ended } = listen();
  await eventually('the one behind them', () => questions.length === 1, patiently);
  await ask('d');
  await eventually('a new one', () => questions.length === 2, patiently);
  expect(questions).toEqual(['c', 'd']);
  const before = tries;
  await eventually('another look at them', () => tries > before + 6, patiently);
  broke.delete([...broke][0] as string);
  await eventually('the first', () => questions.length === 3, patiently);
  broke.clear();
  await eventually('the second', () => questions.length === 4, patiently);
  await ask('e');
  await eventually('one more', () => questions.length === 5, patiently);
  expect(questions).toEqual(['c', 'd', 'a', 'b', 'e']);
  expert.stop();
  await expect(ended).rejects.toMatchObject({ code: 'aborted' });
});

test('waiting ends at once, though nothing can be read', async () => {
  await ask('a');
  let tries = 0;
  liar.tell({
    swallow({ path }) {
      if (!path.includes('/messages/')) return undefined;
      tries += 1;
      return broken;
    },
  });
  const called = new AbortController();
  const { questions, ended } = listen(called.signal);
  await eventually('many tries', () => tries > 12, patiently);
  called.abort();
  await expect(ended).rejects.toMatchObject({ code: 'aborted' });
  expect(questions).toEqual([]);
});

test('one that has ended by the time it can be read does not come', async () => {
  const [first] = [await ask('a'), await ask('b')];
  let isBroken = true;
  liar.tell({
    swallow: ({ path }) => (isBroken && path.includes(`/messages/${first}`) ? broken : undefined),
  });
  const { questions, ended } = listen();
  await eventually('the one behind it', () => questions.length === 1, patiently);
  await close(first);
  isBroken = false;
  await ask('c');
  await eventually('the next', () => questions.length === 2, patiently);
  expert.stop();
  await ended.catch(() => {});
  expect(questions).toEqual(['b', 'c']);
});

test('no question is shown under the code of another one', async () => {
  const [test, production] = [await ask('Delete test?'), await ask('Delete PRODUCTION?')];
  const { refCode } = await expert.request(test);
  liar.tell({
    answer(answer, { path }) {
      if (path.includes('/by-ref/')) answer.requestId = production;
      if (path.includes(`/messages/${production}`)) answer.refCode = refCode;
      return answer;
    },
  });
  const refused = { code: 'question_altered', message: expect.stringContaining(refCode) };
  await expect(expert.request(refCode)).rejects.toMatchObject(refused);
  await expect(expert.request(production)).rejects.toMatchObject(refused);
  await expect(listen().ended).rejects.toMatchObject(refused);
  liar.tell({});
  expect(await expert.request(production)).toMatchObject({ question: 'Delete PRODUCTION?' });
  expect(await expert.request(refCode.toLowerCase())).toMatchObject({ question: 'Delete test?' });
});
