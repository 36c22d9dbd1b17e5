import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { makeRoot } from './crypto/index.ts';
import type { ExpertRequest } from './expert/index.ts';
import { runProgram } from './testing/run-program.ts';
import { useTestServer } from './testing/use-test-server.ts';

const server = useTestServer();
const blocksOf = (page: string) =>
  [...readFileSync(new URL(page, import.meta.url), 'utf8').matchAll(/```ts\n(.*?)```/gs)].map(
    ([, code]) => code ?? '',
  );
const readme = blocksOf('../README.md');
const [ask = '', converse = ''] = readme;
const resume = readme.find((code) => code.includes('relay.resume(')) ?? '';
const [answer = ''] = blocksOf('../../../docs/sdk-experts.md');

/* Each test uses its own tenant, so they run at the same time. */

test.concurrent('the first examples of the README and of docs/sdk-experts.md work unchanged', async () => {
  const { consumerKey, providerKey } = await server.constellation.makeTenant();
  const envOf = (RELAY_API_KEY: string) => ({ RELAY_URL: server.gatewayUrl, RELAY_API_KEY });
  const env = envOf(consumerKey);
  const expert = await runProgram(answer, envOf(providerKey));
  const asked = ask.slice(0, ask.indexOf('const answer'));
  const programs = [
    await runProgram(`${ask}${resume}console.log(again.refCode === conversation.refCode);`, env),
    await runProgram(asked + converse, env),
  ];
  expect(await Promise.all(programs.map(({ ended }) => ended))).toEqual([0, 0]);
  expert.kill();
  expect(programs.map(({ output }) => output())).toEqual([
    'You asked: May I remove the lock file?\ntrue\n',
    'You asked: May I remove the lock file?\n',
  ]);
});

test.concurrent('all examples of the README work in one program, one after another', async () => {
  const { consumerKey, providerKey } = await server.constellation.makeTenant();
  const expert = server.expert({ apiKey: providerKey, root: makeRoot() });
  const contents: Record<string, Record<string, string | number>> = {
    'Deploy to which region?': { choice: 'us' },
    'How many?': { count: 3 },
  };
  const answer = async (request: ExpertRequest) => {
    const { question, form } = request;
    const content = contents[question] ?? {};
    if (form) {
      await request.answer('Fine.', { decision: { action: 'accept', content, of: form.of } });
      return;
    }
    const bytes = new TextEncoder().encode('A log.');
    const files = [{ name: 'fixed.log', mediaType: 'text/plain', bytes }];
    await request.answer('Yes.', question === 'What is wrong here?' ? { files } : {});
    // The conversation goes on.
    if (question.includes('lock file')) await request.answer('And the other one, too.');
  };
  const stopped = new AbortController();
  const answering = (async () => {
    for await (const request of expert.requests({ signal: stopped.signal })) await answer(request);
  })().catch(() => {});
  const folder = mkdtempSync(join(tmpdir(), 'relay-readme-'));
  try {
    writeFileSync(join(folder, 'deploy.log'), 'It failed.');
    const code = [`process.chdir(${JSON.stringify(folder)});`, ...readme].join('\n');
    const program = await runProgram(code.replace('timeoutMs: 60_000', 'timeoutMs: 500'), {
      RELAY_URL: server.gatewayUrl,
      RELAY_API_KEY: consumerKey,
    });
    const status = await program.ended;
    expect(program.output().trim().split('\n')).toEqual([
      'Yes.',
      'And the other one, too.',
      'It is deleted. Fine.',
      'us',
      '3',
      'Deployed.',
      'No answer yet. The conversation stays open: wait again.',
    ]);
    expect([status, readdirSync(join(folder, 'received'))]).toEqual([0, ['fixed.log']]);
  } finally {
    stopped.abort();
    expert.stop();
    await answering;
    rmSync(folder, { recursive: true });
  }
});

describe('a process', () => {
  test.concurrent.each([
    ['has asked', 'await relay.ask({ question: "Anybody?" });'],
    [
      'has stopped waiting',
      'const c = await relay.ask({ question: "Anybody?" }); await c.waitForAnswer({ timeoutMs: 300 }).catch(() => {});',
    ],
    [
      'has left its loop over answers',
      'const c = await relay.ask({ question: "Answer me." }); for await (const a of c) { console.log(a.text); break; }',
    ],
  ])('ends without calling stop() when it %s', async (_, code) => {
    const { consumerKey, providerKey } = await server.constellation.makeTenant();
    const program = await runProgram(`
      import { createRelay } from './index.ts';
      const relay = createRelay(${JSON.stringify({ url: server.gatewayUrl, apiKey: consumerKey })});
      ${code}
      console.log('done');`);
    if (code.includes('Answer me')) {
      const expert = server.expert({ apiKey: providerKey, root: makeRoot() });
      for await (const request of expert.requests()) {
        await request.answer('Here.');
        break;
      }
    }
    expect(await program.ended).toBe(0);
    expect(program.output().trim().split('\n').at(-1)).toBe('done');
  });
});

test.concurrent('a list with more requests than a function call takes arguments can be read', async () => {
  const { consumerKey } = await server.constellation.makeTenant();
  const liar = await server.startLyingRelay();
  const times = { createdAt: '2026-11-21T00:00:00Z', expiresAt: '2026-11-24T00:00:00Z' };
  const one = {
    refCode: 'HS-1',
    status: 'pending',
    messageCount: 0,
    responseCount: 0,
    question: '',
    ...times,
  };
  const requests = Array.from({ length: 40_000 }, (_, index) => ({ requestId: `x${index}`, ...one }));
  const list = JSON.stringify({ requests });
  liar.tell({ answer: (answer, { path }) => (path.startsWith('/api/v1/requests?') ? list : answer) });
  // With a small stack, as in a worker, the limit is lower.
  const program = await runProgram(
    `import { createRelay } from '@expert-relay/sdk';
    const relay = createRelay({ url: '${liar.url}', apiKey: '${consumerKey}' });
    console.log((await relay.requests()).length);`,
    {},
    ['--stack-size=256'],
  );
  expect(await program.ended).toBe(0);
  expect(program.output()).toBe('40000\n');
});
