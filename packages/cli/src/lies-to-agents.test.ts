import { makeRoot } from '@expert-relay/sdk/crypto';
import { createExpert, type Expert } from '@expert-relay/sdk/expert';
import { type Json, type Lie, type LyingRelay, startLyingRelay } from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeUser } from './testing/make-user.ts';
import { answerWithoutFrame } from './testing/plain-client.ts';
import { useTestCli } from './testing/test-cli.ts';

/* What a lying relay may do to an agent on the command line. The whole tables run against the SDK: docs/lies.md. */

const cli = useTestCli();
const root = makeRoot();
let expert: Expert;
let provider: { url: string; apiKey: string };
beforeAll(() => {
  provider = { url: cli.relay.gatewayUrl, apiKey: cli.expert.RELAY_API_KEY ?? '' };
  expert = createExpert({ ...provider, root });
});
afterAll(() => expert.stop());

/** An agent without stored state, behind a relay that lies on request. */
interface Deceived {
  readonly liar: LyingRelay;
  readonly env: Readonly<Record<string, string>>;
  run(args: string[], env?: Readonly<Record<string, string>>): ReturnType<typeof cli.run>;
  ask(...args: string[]): Promise<string>;
}

/** Gives each test another agent and another lying relay, so that tests run at the same time. */
const withAgent = (check: (agent: Deceived) => Promise<void>) => async () => {
  const liar = await startLyingRelay(cli.relay);
  const folder = `${cli.folder}/${crypto.randomUUID()}`;
  const env = { ...cli.agent, RELAY_URL: liar.url, RELAY_CONFIG_DIR: folder, NO_COLOR: '1' };
  const run: Deceived['run'] = (args, more = {}) => cli.run(args, { env: { ...env, ...more } });
  try {
    await check({
      liar,
      env,
      run,
      async ask(...args) {
        const { code, stdout, stderr } = await run(['ask', ...args, '--no-wait']);
        if (code !== 0) throw new Error(stderr);
        return stdout.trim();
      },
    });
  } finally {
    await liar.stop();
  }
};

const answer = async (refCode: string, text: string, by = expert): Promise<void> =>
  void (await (await by.request(refCode)).answer(text));

/** Alters each answer that has a request with its messages. */
const inConversation = (alter: (answer: Json) => unknown): Lie => ({
  answer(answer, { path }) {
    if (path.includes('/messages/')) alter(answer);
    return answer;
  },
});

const resume = (refCode: string, ...args: string[]) => ['ask', '--resume', refCode, '--wait', '60s', ...args];
const one = (text: string) => text.replaceAll(/\s+/g, ' ');
const accepting = [
  ['--accept-unprotected', [['--accept-unprotected'], {}]],
  ['RELAY_ACCEPT_UNPROTECTED', [[], { RELAY_ACCEPT_UNPROTECTED: '1' }]],
] as const;

describe('lie 4: an answer that the relay could have written or replaced', () => {
  const unsigned = inConversation((answer) => {
    delete answer.keySignature;
  });
  const rows: readonly {
    name: string;
    exit: number;
    reason: string;
    protection: string;
    says: RegExp;
    lie?: Lie;
    write(refCode: string): Promise<void>;
  }[] = [
    {
      name: 'plain text',
      exit: 11,
      reason: 'plaintext_refused',
      protection: 'plaintext',
      says: /the relay could read this, or have written it/,
      async write(refCode) {
        await createExpert(provider)
          .request(refCode)
          .then((request) => request.answer('Yes.', { plaintext: true }));
      },
    },
    {
      name: 'keys without a signature',
      exit: 7,
      reason: 'key_signature_missing',
      protection: 'sequenced',
      says: /does not prove its keys: the relay could have replaced them/,
      lie: unsigned,
      write: (refCode) => answer(refCode, 'Yes.'),
    },
    {
      name: 'a message without links, of a signed exchange',
      exit: 7,
      reason: 'unsequenced_refused',
      protection: 'unsequenced',
      says: /does not say which messages came before: a missing one would go unnoticed/,
      async write(refCode) {
        await (await expert.request(refCode)).pickUp();
        await answerWithoutFrame({ ...provider, root }, refCode, 'Yes.');
      },
    },
    {
      name: 'both, by a plain client',
      exit: 7,
      reason: 'key_signature_missing',
      protection: 'unsequenced',
      says: /does not prove its keys.* does not say which messages came before/,
      write: (refCode) => answerWithoutFrame(provider, refCode, 'Yes.'),
    },
  ];

  for (const { name, exit, reason, protection, says, lie = {}, write } of rows) {
    test.concurrent(
      `${name}, is refused by all commands, and accepted where the user has set that`,
      withAgent(async ({ liar, run, ask }) => {
        const refCode = await ask('May I?');
        liar.tell(lie);
        await write(refCode);
        for (const args of [resume(refCode, '--json'), ['show', refCode, '--json'], ['listen', refCode]]) {
          const { code, stdout, stderr } = await run(args);
          expect({ args, code, text: one(stdout + stderr) }).toEqual({
            args,
            code: exit,
            text: expect.stringMatching(/--accept-unprotected takes/),
          });
          expect(stdout).not.toContain('Yes.');
          if (args.includes('--json')) expect(stdout).toContain(`"code":"unprotected","reason":"${reason}"`);
        }
        const accepted: string[] = [];
        for (const [how, [args, env]] of accepting) {
          // The first one delivers the answer, `show` prints it again.
          const given = accepted.length === 0 ? resume(refCode, ...args) : ['show', refCode, ...args];
          const { code, stdout, stderr } = await run(given, env);
          expect({ how, code, stdout }).toEqual({ how, code: 0, stdout: expect.stringContaining('Yes.') });
          expect(one(stderr)).toContain('Answers are accepted that the relay could have written or replaced');
          accepted.push(one(stderr));
        }
        expect(accepted[0]).toMatch(says);
        const { stdout } = await run(['show', refCode, '--json', '--accept-unprotected']);
        expect(JSON.parse(stdout).messages).toMatchObject([{ text: 'Yes.', protection }]);
      }),
    );
  }

  test.concurrent(
    'a confidential question is not sent to keys without a signature, whatever is set',
    withAgent(async ({ liar, run }) => {
      const sent: string[] = [];
      const { answer: lie } = unsigned;
      liar.tell({
        ...(lie && { answer: lie }),
        call({ method, path }) {
          if (method === 'POST' && path.includes('/message/')) sent.push(path);
        },
      });
      const env = { RELAY_ACCEPT_UNPROTECTED: '1' };
      const asked = await run(['ask', 'Customer 4711?', '--confidential', '--no-wait'], env);
      const refCode = asked.stdout.trim();
      await (await expert.request(refCode)).pickUp();
      const { code, stderr } = await run(resume(refCode), env);
      expect({ code, stderr: one(stderr) }).toEqual({
        code: 7,
        stderr: expect.stringMatching(
          /except for a confidential question.*have? NOT been sent|has NOT been sent/,
        ),
      });
      expect(sent).toEqual([]);
    }),
  );
});

describe('lie 5: after the rotation of an API key', () => {
  test.concurrent(
    'the expert stays known, and another one is refused until the user names it, once',
    withAgent(async ({ run }) => {
      const { key, rotate, mine, other } = await makeUser(cli.relay.gatewayUrl);
      async function askAndAnswer(by: Expert, env: Readonly<Record<string, string>>) {
        const asked = await run(['ask', 'May I?', '--no-wait'], env);
        const refCode = asked.stdout.trim();
        await answer(refCode, 'Yes.', by);
        return { refCode, ...(await run(resume(refCode, '--json'), env)) };
      }
      const met = await askAndAnswer(mine, { RELAY_API_KEY: key });
      expect(JSON.parse(met.stdout)).toMatchObject({ exit: 0, verification: 'first-contact' });

      const rotated = { RELAY_API_KEY: await rotate() };
      const refused = await askAndAnswer(other, rotated);
      const fingerprint = (await other.fingerprint()) ?? '';
      expect(JSON.parse(refused.stdout)).toMatchObject({ exit: 7, error: { code: 'new_expert' } });
      expect(one(refused.stderr)).toContain(fingerprint);
      expect(one(refused.stderr)).toMatch(/over another channel.*RELAY_EXPERT: set it and resume/);
      expect(refused.stdout).not.toContain('Yes.');
      const known = await askAndAnswer(mine, rotated);
      expect(JSON.parse(known.stdout)).toMatchObject({ exit: 0, verification: 'known' });

      // The user's word for another expert: once, and for this key only.
      const named = { ...rotated, RELAY_EXPERT: fingerprint };
      const { code, stdout } = await run(resume(refused.refCode), named);
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'Yes.\n' });
      const later = await askAndAnswer(other, rotated);
      expect(JSON.parse(later.stdout)).toMatchObject({ exit: 0, verification: 'known' });
      const before = await askAndAnswer(mine, rotated);
      expect(JSON.parse(before.stdout)).toMatchObject({
        exit: 7,
        error: { code: 'untrusted', reason: 'unknown_expert' },
      });
      for (const each of [mine, other]) each.stop();
    }),
  );
});

describe('lie 6: the name of the agent', () => {
  test.concurrent(
    'is part of what the expert signs: with another one the agent stops',
    withAgent(async ({ run }) => {
      const asked = await run(['ask', 'May I?', '--as', 'staging bot', '--no-wait']);
      const refCode = asked.stdout.trim();
      const liar = await startLyingRelay(cli.relay);
      liar.tell(inConversation((answer) => Object.assign(answer, { agentName: 'deploy bot' })));
      const deceived = createExpert({ ...provider, url: liar.url, root });
      const request = await deceived.request(refCode);
      expect(request.agentName).toBe('deploy bot');
      await request.answer('Yes.');
      const { code, stdout } = await run(resume(refCode, '--json'));
      expect({ code, reason: JSON.parse(stdout).error?.reason }).toEqual({
        code: 7,
        reason: 'question_altered',
      });
      deceived.stop();
      await liar.stop();
    }),
  );

  test.concurrent(
    'is submitted: a relay that does not take it gets no further',
    withAgent(async ({ liar, run }) => {
      liar.tell({
        call({ path, body }) {
          if (path === '/api/v1/help') delete body.agentName;
        },
      });
      const { code, stdout } = await run(['ask', 'May I?', '--as', 'staging bot', '--json']);
      expect({ code, reason: JSON.parse(stdout).error?.reason }).toEqual({
        code: 7,
        reason: 'question_altered',
      });
    }),
  );
});

describe('lie 7: a conversation whose content is said to be erased', () => {
  const invented = {
    question: 'Delete PRODUCTION?',
    plaintext: 'Delete PRODUCTION?',
    agentName: 'PRODUCTION bot',
    context: [{ role: 'user', content: 'PRODUCTION' }],
    messages: [
      {
        seq: 9,
        role: 'provider',
        messageId: crypto.randomUUID(),
        plaintext: 'PRODUCTION',
        createdAt: '2026-01-01T00:00:00.000Z',
      },
    ],
    erasedAt: '2026-01-01T00:00:00.000Z',
  };

  test.concurrent(
    'is shown from this machine alone, without a word of the relay',
    withAgent(async ({ liar, run, ask }) => {
      const refCode = await ask('Delete test?');
      // The content of an open conversation is never erased: there the member is ignored.
      liar.tell(inConversation((answer) => Object.assign(answer, invented, { messages: [] })));
      const open = await run(['show', refCode]);
      expect(open).toMatchObject({ code: 0, stdout: expect.stringContaining('Delete test?') });
      expect(open.stdout).not.toContain('PRODUCTION');
      liar.tell({});
      await answer(refCode, 'Yes.');
      await run(resume(refCode));
      liar.tell({
        answer(answer, { path }) {
          if (path.includes('/messages/')) Object.assign(answer, invented, { status: 'closed' });
          const rows = (answer.requests ?? []) as Json[];
          for (const row of rows) Object.assign(row, invented, { status: 'closed' });
          return answer;
        },
      });
      for (const args of [[], ['--json']]) {
        const { code, stdout } = await run(['show', refCode, ...args]);
        expect({ code, stdout }).toEqual({
          code: 0,
          stdout: expect.stringMatching(/Delete test\?[\s\S]*Yes\./),
        });
        expect(stdout).not.toContain('PRODUCTION');
        const list = await run(['show', ...args]);
        const [row] = new RegExp(`${refCode}[^\\n{]*`).exec(list.stdout) ?? [];
        expect(row).toContain('Delete test?');
        expect(row).not.toContain('PRODUCTION');
      }
    }),
  );
});
