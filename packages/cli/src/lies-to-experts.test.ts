import { createRelay, type Relay } from '@expert-relay/sdk';
import { type Json, type Lie, type LyingRelay, startLyingRelay } from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { later, useTestCli } from './testing/test-cli.ts';

/*
 * What a lying relay may do to an expert on the command line. The whole tables run against the SDK: docs/lies.md. Lies 1 to 3
 * are in commands/shown.test.ts as well.
 */

const cli = useTestCli();
let agent: Relay;
beforeAll(async () => {
  const { RELAY_API_KEY: apiKey = '' } = cli.agent;
  agent = createRelay({ url: cli.relay.gatewayUrl, apiKey, agentName: 'staging bot' });
  expect((await cli.asExpert('keys', 'make', '--json')).code).toBe(0);
});
afterAll(() => agent.stop());

interface Deceived {
  readonly liar: LyingRelay;
  now(...args: string[]): ReturnType<typeof cli.run>;
  afterReading(...args: string[]): ReturnType<typeof cli.run>;
  /** The folder of a machine without keys. */
  readonly elsewhere: string;
}

/** Gives each test another lying relay, so that tests run at the same time. */
const withExpert = (check: (expert: Deceived) => Promise<void>) => async () => {
  const liar = await startLyingRelay(cli.relay);
  const env = { ...cli.expert, RELAY_URL: liar.url, NO_COLOR: '1' };
  try {
    await check({
      liar,
      now: (...args) => cli.run(args, { env }),
      afterReading: (...args) => cli.run(args, { env, ...later }),
      elsewhere: `${cli.folder}/${crypto.randomUUID()}`,
    });
  } finally {
    await liar.stop();
  }
};

const one = (text: string) => text.replaceAll(/\s+/g, ' ');

/** Alters each request that is listed, alone or with its messages. */
const everywhere = (alter: (request: Json) => unknown): Lie => ({
  answer(answer) {
    for (const each of [answer, ...((answer.requests ?? []) as Json[])]) if (each.refCode) alter(each);
    return answer;
  },
});

describe('lie 1: plain text of the agent, before the pick-up', () => {
  test.concurrent(
    'is shown by no command, and no answer is sent',
    withExpert(async ({ liar, now, afterReading }) => {
      const { refCode } = await agent.ask({ question: 'Delete it?' });
      const added = {
        seq: 2,
        role: 'consumer',
        messageId: crypto.randomUUID(),
        plaintext: 'Only the test copy.',
        createdAt: new Date().toISOString(),
      };
      liar.tell({
        answer(answer, { path }) {
          if (path.includes('/messages/')) answer.messages = [added, ...(answer.messages as Json[])];
          return answer;
        },
      });
      for (const run of [
        () => now('show', refCode),
        () => now('show', refCode, '--json'),
        () => now('listen', refCode),
        () => afterReading('answer', refCode, 'Yes.'),
        () => afterReading('answer', refCode, 'Yes.', '--even-if-newer'),
        () => afterReading('pickup', refCode),
      ]) {
        const { code, stdout, stderr } = await run();
        expect({ code, text: stdout + stderr }).toEqual({
          code: 11,
          text: expect.not.stringContaining('test copy'),
        });
      }
      expect((await agent.findByRef(refCode)).responseCount).toBe(0);
    }),
  );
});

describe('lie 6: the name of the agent', () => {
  test.concurrent(
    'is another one than that of its key, also where the relay states both the same',
    withExpert(async ({ liar, now }) => {
      const { refCode } = await agent.ask({ question: 'May I?' });
      const { refCode: nameless } = await createRelay({
        url: cli.relay.gatewayUrl,
        apiKey: cli.agent.RELAY_API_KEY ?? '',
      }).ask({ question: 'May I, too?' });
      liar.tell(everywhere((request) => Object.assign(request, { agent: { name: 'deploy bot' } })));
      const [shown, other] = [await now('show', refCode), await now('show', nameless)];
      expect(shown.stdout).toMatch(/^Agent staging bot {2}key: deploy bot$/m);
      expect(other.stdout).toMatch(/^key: deploy bot$/m);
      const [json, list] = [await now('show', refCode, '--json'), await now('show', '--json')];
      const lines = (await now('show')).stdout.split('\n');
      expect(lines.find((line) => line.startsWith(refCode))).toMatch(/ {2}staging bot +May I\?$/);
      expect(lines.find((line) => line.startsWith(nameless))).toMatch(/ {2}key: deploy bot +May I, too\?$/);
      const names = { agentName: 'staging bot', agent: 'deploy bot' };
      expect(JSON.parse(json.stdout)).toMatchObject(names);
      expect(JSON.parse(list.stdout).requests).toContainEqual(expect.objectContaining({ refCode, ...names }));
    }),
  );

  test.concurrent(
    'cannot change after it was shown',
    withExpert(async ({ liar, now, afterReading }) => {
      const { refCode } = await agent.ask({ question: 'May I?' });
      expect((await now('show', refCode)).stdout).toContain('Agent staging bot');
      liar.tell(everywhere((request) => Object.assign(request, { agentName: 'deploy bot' })));
      for (const run of [() => now('show', refCode), () => afterReading('answer', refCode, 'Yes.')]) {
        const { code, stdout } = await run();
        expect({ code, stdout }).toEqual({ code: 7, stdout: expect.not.stringContaining('deploy bot') });
      }
      expect((await now('show')).stdout).toMatch(new RegExp(`${refCode} .*refused: question_altered`));
    }),
  );
});

describe('lie 7: a conversation whose content is said to be erased', () => {
  test.concurrent(
    'is shown without a word of the relay',
    withExpert(async ({ liar, now }) => {
      const { refCode } = await agent.ask({ question: 'Delete test?' });
      expect((await now('show', refCode)).code).toBe(0);
      const invented = {
        question: 'Delete PRODUCTION?',
        plaintext: 'PRODUCTION',
        agentName: 'PRODUCTION bot',
        agent: { name: 'PRODUCTION key' },
        context: [{ role: 'user', content: 'PRODUCTION' }],
        status: 'closed',
        erasedAt: '2026-01-01T00:00:00.000Z',
      };
      liar.tell(everywhere((request) => Object.assign(request, invented)));
      for (const args of [['show', refCode], ['show', refCode, '--json'], ['show'], ['show', '--json']]) {
        const { code, stdout } = await now(...args);
        expect({ args, code, stdout }).toEqual({
          args,
          code: 0,
          stdout: expect.not.stringContaining('PRODUCTION'),
        });
        expect(stdout).toContain(refCode);
      }
    }),
  );

  test.concurrent(
    'is compared as any other while the conversation is open',
    withExpert(async ({ liar, now }) => {
      const { refCode } = await agent.ask({ question: 'Delete test?' });
      expect((await now('show', refCode)).code).toBe(0);
      const invented = { question: 'Delete PRODUCTION?', erasedAt: '2026-01-01T00:00:00.000Z' };
      liar.tell(everywhere((request) => Object.assign(request, invented)));
      const { code, stdout } = await now('show', refCode);
      expect({ code, stdout }).toEqual({ code: 7, stdout: expect.not.stringContaining('PRODUCTION') });
    }),
  );
});

describe('lie 8', () => {
  test.concurrent(
    'keys of the agent that appear where there were none are changed keys, also without own keys',
    withExpert(async ({ liar, elsewhere }) => {
      const env = { ...cli.expert, RELAY_URL: liar.url, RELAY_CONFIG_DIR: elsewhere };
      const { refCode } = await agent.ask({ question: 'May I?' });
      let hidden: Json = {};
      liar.tell(
        everywhere((request) => {
          const { consumerSignPubKey, consumerEncryptPubKey } = request;
          hidden = { consumerSignPubKey, consumerEncryptPubKey, ...hidden };
          Object.assign(request, { consumerSignPubKey: null, consumerEncryptPubKey: null });
        }),
      );
      // A list, which shows no more than the question, is enough.
      expect((await cli.run(['show', '--json'], { env })).stdout).toContain(refCode);
      liar.tell({});
      for (const args of [
        ['answer', refCode, 'Yes.'],
        ['answer', refCode, 'Yes.', '--plaintext'],
        ['show', refCode],
        ['listen', refCode],
      ]) {
        const { code, stderr } = await cli.run(args, { env, ...later });
        expect({ args, code, stderr: one(stderr) }).toEqual({
          args,
          code: 7,
          stderr: expect.stringMatching(/keys of this conversation are gone or have changed/),
        });
      }
      expect((await agent.findByRef(refCode)).responseCount).toBe(0);
    }),
  );

  test.concurrent(
    'keys that the relay has not stored are not made, and a new code that it has not stored is none',
    withExpert(async ({ liar }) => {
      const { providerKey } = await cli.relay.makeTenant();
      const folder = `${cli.folder}/${crypto.randomUUID()}`;
      const env = { RELAY_URL: liar.url, RELAY_API_KEY: providerKey, RELAY_CONFIG_DIR: folder };
      const run = (...args: string[]) => cli.run(['keys', ...args], { env });
      const lose: Lie = {
        swallow: ({ method, path }) =>
          method === 'PUT' && path === '/api/v1/vault' ? { status: 200, body: {} } : undefined,
      };
      const notStored = { code: 1, stderr: expect.stringContaining('has not stored the vault') };
      liar.tell(lose);
      expect(await run('make', '--json')).toMatchObject(notStored);
      expect((await run()).stdout).toContain('This machine has no keys.');
      liar.tell({});
      const { recoveryCode } = JSON.parse((await run('make', '--json')).stdout);
      liar.tell(lose);
      expect(await run('recovery', '--json')).toMatchObject(notStored);
      liar.tell({});
      const second = { ...env, RELAY_CONFIG_DIR: `${folder}-2` };
      expect((await cli.run(['keys', 'restore'], { env: second, input: recoveryCode })).code).toBe(0);
    }),
  );
});

describe('a request without a question, whose context says all', () => {
  test('is shown as it comes, and can be answered', async () => {
    const listening = cli.start(['listen'], { env: cli.expert });
    await listening.printed(/Ctrl-C ends it/);
    // One that is listed first: the list is read before.
    await agent.ask({ question: 'Is it read?' });
    await listening.printed(/Is it read\?/);
    const messages = [{ role: 'user', content: 'The deploy hangs.' }];
    const { refCode } = await agent.ask({ messages });
    await listening.printed(new RegExp(`${refCode}[\\s\\S]*The deploy hangs\\.`));
    listening.kill('SIGTERM');
    await listening.ended;
    const { refCode: other } = await agent.ask({ messages });
    expect((await cli.asExpert('show', other)).stdout).toContain('The deploy hangs.');
    for (const each of [refCode, other]) {
      const { code, stdout } = await cli.run(['answer', each, 'Wait.'], { env: cli.expert, ...later });
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout: `${each} answered, end-to-end encrypted. It has no question, only what was said before.\n`,
      });
    }
  });
});
