import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tenant } from '@expert-relay/constellation';
import { createRelay } from '@expert-relay/sdk';
import { createTcpProxy, type LyingRelay } from '@expert-relay/testkit';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { openAgent } from '../../relay/open-agent.ts';
import { Journal } from '../../store/journal.ts';
import { relayName } from '../../store/relay-name.ts';
import { storeFolder } from '../../store/store.ts';
import { createScreen } from '../../terminal/screen.ts';
import { useTestCli } from '../../testing/test-cli.ts';

const cli = useTestCli();
let tenant: Tenant;
let agent: Record<string, string>;
let expert: Record<string, string>;
let testNumber = 0;

beforeEach(async () => {
  tenant = await cli.relay.makeTenant();
  testNumber += 1;
  const { gatewayUrl: RELAY_URL } = cli.relay;
  const folder = `${cli.folder}/listen-${testNumber}`;
  agent = { RELAY_URL, RELAY_API_KEY: tenant.consumerKey, RELAY_CONFIG_DIR: `${folder}/agent` };
  expert = { RELAY_URL, RELAY_API_KEY: tenant.providerKey, RELAY_CONFIG_DIR: `${folder}/expert` };
});

/** Asks questions as `relay ask` does, in this process, since fifty commands would take long. */
async function ask(count: number, env: Record<string, string>): Promise<string[]> {
  const { RELAY_URL: url = '', RELAY_API_KEY: apiKey = '', RELAY_CONFIG_DIR: folder = '' } = env;
  const err = createScreen({ write() {} }, { colours: false });
  const config = { url, apiKey, kind: 'consumer', folder, colours: false } as const;
  const { conversations, connect } = openAgent({ config, folder, err, now: Date.now } as Parameters<
    typeof openAgent
  >[0]);
  const journal = new Journal(conversations);
  const relay = connect(journal);
  const questions = Array.from({ length: count }, (_, index) => `Question ${index}?`);
  const asked = await Promise.all(
    questions.map((question) => relay.ask({ question }, { onId: (id) => journal.lock(id) })),
  );
  relay.stop();
  await journal.release();
  return asked.map(({ refCode }) => refCode);
}

/** A proxy in front of the relay that records the calls. */
async function recordCalls(): Promise<{ liar: LyingRelay; calls: string[] }> {
  const calls: string[] = [];
  const liar = await cli.startLyingRelay();
  liar.tell({ call: ({ method, path }) => void calls.push(`${method} ${path.replace(/[?].*/, '')}`) });
  return { liar, calls };
}

const occurrences = (text: string, part: RegExp) => text.match(new RegExp(part, 'g'))?.length ?? 0;

describe('relay listen ends', () => {
  test.each([
    ['SIGINT', 'agent', 130],
    ['SIGTERM', 'agent', 143],
    ['SIGTERM', 'expert', 143],
  ] as const)('at the first %s, as an %s', async (signal, side, code) => {
    const [refCode = ''] = await ask(2, agent);
    for (const args of [['listen'], ['listen', refCode]]) {
      const listening = cli.start(args, { env: side === 'agent' ? agent : expert });
      await listening.printed(/Ctrl-C ends it/);
      if (side === 'expert') await listening.printed(/Question/);
      listening.kill(signal);
      expect(await listening.ended).toMatchObject({ code, stderr: expect.not.stringContaining('Error') });
    }
  });

  test('not because of a broken file, which it reports', async () => {
    const [refCode = ''] = await ask(1, agent);
    const folder = storeFolder(agent.RELAY_CONFIG_DIR ?? '', 'agents');
    const name = relayName(cli.relay.gatewayUrl);
    const broken = `journal.conversation.${name}.${crypto.randomUUID()}.value`;
    writeFileSync(join(folder, broken), '{', { mode: 0o600 });
    for (const args of [['listen'], ['listen', refCode]]) {
      const listening = cli.start(args, { env: agent });
      const [printed] = await listening.printed(/[\s\S]*answers in HS-\w+/);
      expect(printed.replaceAll(/\s+/g, '').includes(broken)).toBe(args.length === 1);
      listening.kill('SIGINT');
      expect(await listening.ended).toMatchObject({ code: 130 });
    }
  });

  test('when its stdout is closed, and does not count the answer as printed', async () => {
    const [refCode = ''] = await ask(1, agent);
    const listening = cli.start(['listen', '--accept-unprotected'], { env: agent, stdout: 'closed' });
    await listening.printed(/Listening/);
    await cli.answerAs(expert, refCode, 'Is it read?');
    await cli.answerAs(expert, refCode, 'Is it read?', '--plaintext');
    expect(await listening.ended).toMatchObject({ code: 0 });
    expect(
      await cli.run(['ask', '--resume', refCode, '--wait', '60s', '--accept-unprotected'], { env: agent }),
    ).toMatchObject({
      code: 0,
      stdout: 'Is it read?\n',
    });
  });
});

describe('with 57 open conversations, relay listen', () => {
  // A stalled relay may cause further calls, but never one for each conversation.
  const oneForEach = 57;

  test('as an expert makes a few calls for lists, and reads only conversations with new messages', async () => {
    await cli.run(['keys', 'make'], { env: expert });
    const relay = createRelay({ url: cli.relay.gatewayUrl, apiKey: tenant.consumerKey });
    const all = await Promise.all(
      Array.from({ length: 57 }, (_, index) =>
        relay.ask({ question: `Question ${index}?`, encrypted: false }),
      ),
    );
    const { liar, calls } = await recordCalls();
    const answered = all[30]?.refCode ?? '';
    await cli.answerAs(expert, answered, 'Yes.', '--plaintext');
    const env = { ...expert, RELAY_URL: liar.url };
    // The first command checks the address.
    await cli.run(['whoami'], { env });
    calls.length = 0;
    const listening = cli.start(['listen', '--json'], { env });
    await listening.printed(/1 more is answered and still open/);
    await all[7]?.send('And this?');
    await listening.printed(/And this\?/);
    await all[30]?.send('And that?');
    await listening.printed(/And that\?/);
    const { refCode } = await relay.ask({ question: 'A new one?', encrypted: false });
    await listening.printed(new RegExp(`${refCode}.*A new one`));
    listening.kill('SIGINT');
    const { stdout } = await listening.ended;
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ type }) => type === 'request')).toHaveLength(57);
    expect(lines.some(({ type, refCode: name }) => type === 'request' && name === answered)).toBe(false);
    expect(lines.filter(({ type }) => type === 'message').map(({ text }) => text)).toEqual([
      'And this?',
      'And that?',
    ]);
    const lists = calls.filter((call) => call === 'GET /api/v1/requests').length;
    expect(lists).toBeLessThan(oneForEach);
    const reads = calls.filter((call) => call.includes('/messages/'));
    expect(new Set(reads).size).toBe(3);
    expect(calls.length - lists).toBeLessThan(oneForEach);
    relay.stop();
  });

  test('as an agent makes a few calls for lists, and reads only conversations with answers', async () => {
    const { liar, calls } = await recordCalls();
    const env = { ...agent, RELAY_URL: liar.url };
    const all = await ask(57, env);
    await cli.answerAs(expert, all[20] ?? '', 'Meanwhile.', '--plaintext');
    await cli.run(['whoami'], { env });
    calls.length = 0;
    const listening = cli.start(['listen', '--accept-unprotected'], { env });
    await listening.printed(/Meanwhile\./);
    await cli.answerAs(expert, all[40] ?? '', 'Now.', '--plaintext');
    await listening.printed(/Now\./);
    listening.kill('SIGTERM');
    expect((await listening.ended).code).toBe(143);
    const reads = calls.filter((call) => call.includes('/messages/'));
    expect(new Set(reads).size).toBe(2);
    expect(calls.length).toBeLessThan(oneForEach);
  });
});

describe('the start and the end of an outage are reported once', () => {
  test.each([
    ['ask', (): string[] => ['ask', 'Well?', '--accept-unprotected']],
    ['listen', (): string[] => ['listen', '--accept-unprotected']],
  ])('by relay %s', async (command, args) => {
    const proxy = await createTcpProxy(cli.relay.gatewayUrl);
    const hub = await createTcpProxy(cli.relay.hubUrl);
    const env = { ...agent, RELAY_URL: proxy.url, RELAY_HUB_URL: hub.url };
    const refCodes = command === 'listen' ? await ask(5, env) : [];
    const waiting = cli.start(args(), { env });
    await waiting.printed(/Ctrl-C/);
    const [refCode = refCodes[0] ?? ''] = await waiting.printed(/HS-[0-9A-Z]{8}/);
    await Promise.all([proxy.cut(), hub.cut()]);
    await waiting.printed(/cannot be reached/);
    await Promise.all([proxy.restore(), hub.restore()]);
    await waiting.printed(/answers again/);
    await cli.answerAs(expert, refCode, 'Here.', '--plaintext');
    await waiting.printed(/Here\./);
    if (command === 'listen') waiting.kill('SIGINT');
    const { stderr } = await waiting.ended;
    expect(occurrences(stderr, /cannot be reached/)).toBe(1);
    expect(occurrences(stderr, /answers again/)).toBe(1);
    await Promise.all([proxy.stop(), hub.stop()]);
  });

  test('a rate limit is reported with the time of the next call', async () => {
    const liar = await cli.startLyingRelay();
    const env = { ...agent, RELAY_URL: liar.url };
    await cli.run(['whoami'], { env });
    const body = JSON.stringify({ error: 'rate_limited', title: 'Too many calls', detail: 'Wait.' });
    const limit = { status: 429, headers: { 'retry-after': '4' }, body };
    let isLimited = true;
    liar.tell({ instead: ({ path }) => (isLimited && path === '/api/v1/help' ? limit : undefined) });
    const asking = cli.start(['ask', 'Well?', '--no-wait'], { env });
    await asking.printed(
      /The relay says: "Too many calls\. Wait\." \(HTTP 429\) The next call is made at \d\d:\d\d:\d\d\./,
    );
    isLimited = false;
    const { code, stderr } = await asking.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('does not answer') });
    expect(occurrences(stderr, /Too many calls/)).toBe(1);
    liar.tell({ instead: () => limit });
    expect(await cli.run(['show'], { env })).toMatchObject({
      code: 8,
      stderr: expect.stringMatching(/"Too many calls\. Wait\." \(HTTP 429\) Try again after \d\d:\d\d:\d\d/),
    });
  });
});

test('a question that the relay will accept only in ten minutes is not sent without a pause', async () => {
  const liar = await cli.startLyingRelay();
  const env = { ...agent, RELAY_URL: liar.url };
  const [refCode = ''] = await ask(1, env);
  let calls = 0;
  liar.tell({
    instead({ path }) {
      if (path !== '/api/v1/help') return undefined;
      calls += 1;
      return { status: 503, headers: { 'retry-after': '600' }, body: '{}' };
    },
  });
  expect((await cli.run(['ask', 'Lost?', '--no-wait'], { env })).code).toBe(8);
  calls = 0;
  const listening = cli.start(['listen', '--accept-unprotected'], { env });
  await listening.printed(/Ctrl-C ends it/);
  await cli.answerAs(expert, refCode, 'Here.', '--plaintext');
  await listening.printed(/Here\./);
  expect(calls).toBe(1);
  listening.kill('SIGINT');
  expect((await listening.ended).code).toBe(130);
});

test('relay listen uses keys that are made while it runs', async () => {
  const listening = cli.start(['listen'], { env: expert });
  await listening.printed(/This machine has no keys/);
  const [refCode = ''] = await ask(1, agent);
  await listening.printed(new RegExp(refCode));
  expect((await cli.run(['keys', 'make'], { env: expert })).code).toBe(0);
  expect((await cli.answerAs(expert, refCode, 'Which one?')).code).toBe(0);
  const said = await cli.run(['ask', '--resume', refCode, 'The secret one.', '--no-wait'], { env: agent });
  expect(said.code).toBe(0);
  await listening.printed(/This machine now has keys/);
  // The agent's user was not shown the question of this expert before.
  await listening.printed(/agent, end-to-end encrypted\n.*before your last message.*\n {2}The secret one\./);
  listening.kill('SIGINT');
  expect((await listening.ended).code).toBe(130);
});

test('relay listen shows the next command for each request', async () => {
  await cli.run(['keys', 'make'], { env: expert });
  const relay = createRelay({ url: cli.relay.gatewayUrl, apiKey: tenant.consumerKey });
  const waiting = await relay.ask({ question: 'Waiting?' });
  const secret = await relay.ask({ question: 'Waiting secretly?', confidential: true });
  const listening = cli.start(['listen'], { env: expert });
  await listening.printed(new RegExp(`relay answer ${waiting.refCode} "\\.\\.\\."\\n`));
  await listening.printed(new RegExp(`relay pickup ${secret.refCode}\\n`));
  const plain = await relay.ask({ question: 'New?', encrypted: false });
  await listening.printed(new RegExp(`relay answer ${plain.refCode} "\\.\\.\\." --plaintext`));
  const next = await relay.ask({ question: 'New and secret?', confidential: true });
  await listening.printed(new RegExp(`relay pickup ${next.refCode}\\n`));
  listening.kill('SIGINT');
  const { stdout } = await listening.ended;
  expect(stdout).not.toMatch(new RegExp(`relay answer (${secret.refCode}|${next.refCode})`));
  relay.stop();
});

test('relay listen on a machine without the keys of a conversation says how to restore them', async () => {
  await cli.run(['keys', 'make'], { env: expert });
  const asked = await cli.run(['ask', 'Who reads this?', '--context', '-', '--no-wait'], {
    env: agent,
    input: '[{"role": "user", "content": "Before."}]',
  });
  const refCode = asked.stdout.trim();
  const env = { ...expert, RELAY_CONFIG_DIR: `${expert.RELAY_CONFIG_DIR}-without-keys` };
  const listening = cli.start(['listen'], { env });
  await listening.printed(
    new RegExp(
      `${refCode} .* takes encrypted answers, 1 message before it\\n[\\s\\S]*Before\\.\\n  Who reads this\\?`,
    ),
  );
  expect((await cli.answerAs(expert, refCode, 'I do.')).code).toBe(0);
  await cli.run(['ask', '--resume', refCode, 'And who else?', '--no-wait'], { env: agent });
  await listening.printed(new RegExp(`${refCode} +cannot be read here\\n.*relay keys restore`));
  listening.kill('SIGINT');
  expect((await listening.ended).code).toBe(130);
});
