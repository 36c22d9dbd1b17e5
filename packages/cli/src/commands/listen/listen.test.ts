import type { Tenant } from '@expert-relay/constellation';
import { createRelay } from '@expert-relay/sdk';
import { createCable, type LyingRelay, startLyingRelay } from '@expert-relay/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openJournal } from '../../relay/journal.ts';
import { openAgent } from '../../relay/open-agent.ts';
import { createScreen } from '../../terminal/screen.ts';
import { openTwoSides, type TwoSides } from '../../testing/two-sides.ts';

let sides: TwoSides;
let tenant: Tenant;
let agent: Record<string, string>;
let expert: Record<string, string>;
let turn = 0;

beforeAll(async () => {
  sides = await openTwoSides();
});
afterAll(() => sides.stop());
beforeEach(async () => {
  tenant = await sides.relay.makeTenant();
  turn += 1;
  const { gatewayUrl: RELAY_URL } = sides.relay;
  const folder = `${sides.folder}/listen-${turn}`;
  agent = { RELAY_URL, RELAY_API_KEY: tenant.consumerKey, RELAY_CONFIG_DIR: `${folder}/agent` };
  expert = { RELAY_URL, RELAY_API_KEY: tenant.providerKey, RELAY_CONFIG_DIR: `${folder}/expert` };
});

/** Questions of this agent, kept as `relay ask` keeps them, in this process: fifty commands take a minute. */
async function ask(count: number, env: Record<string, string>): Promise<string[]> {
  const { RELAY_URL: url = '', RELAY_API_KEY: apiKey = '', RELAY_CONFIG_DIR: folder = '' } = env;
  const err = createScreen({ write() {} }, { colours: false });
  const config = { url, apiKey, kind: 'consumer', folder, colours: false } as const;
  const { conversations, connect } = openAgent({ config, folder, err, now: Date.now } as Parameters<
    typeof openAgent
  >[0]);
  const journal = openJournal(conversations);
  const relay = connect(journal.save);
  const questions = Array.from({ length: count }, (_, index) => `Question ${index}?`);
  const asked = await Promise.all(questions.map((question) => relay.ask({ question })));
  relay.stop();
  journal.release();
  return asked.map(({ refCode }) => refCode);
}

/** A relay whose calls are noted. */
async function countCalls(): Promise<{ liar: LyingRelay; calls: string[] }> {
  const calls: string[] = [];
  const liar = await startLyingRelay(sides.relay);
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
      const listening = sides.start(args, { env: side === 'agent' ? agent : expert });
      await listening.said(/Ctrl-C ends it/);
      if (side === 'expert') await listening.said(/Question/);
      listening.kill(signal);
      expect(await listening.ended).toMatchObject({ code, stderr: expect.not.stringContaining('Error') });
    }
  });

  test('when its reader has closed the pipe, and keeps the answer that was not read', async () => {
    const [refCode = ''] = await ask(1, agent);
    const listening = sides.start(['listen'], { env: agent, closesStdout: true });
    await listening.said(/Listening/);
    await sides.run(['answer', refCode, 'Is it read?'], { env: expert });
    await sides.run(['answer', refCode, 'Is it read?', '--plaintext'], { env: expert });
    expect(await listening.ended).toMatchObject({ code: 0 });
    expect(await sides.run(['ask', '--resume', refCode, '--wait', '20s'], { env: agent })).toMatchObject({
      code: 0,
      stdout: 'Is it read?\n',
    });
  });
});

describe('with 57 open conversations, relay listen', () => {
  test('as an expert costs one list of each kind, and a call for each that says something', async () => {
    await sides.run(['keys', 'make'], { env: expert });
    const relay = createRelay({ url: sides.relay.gatewayUrl, apiKey: tenant.consumerKey });
    const all = await Promise.all(
      Array.from({ length: 57 }, (_, index) =>
        relay.ask({ question: `Question ${index}?`, encrypted: false }),
      ),
    );
    const { liar, calls } = await countCalls();
    const answered = all[30]?.refCode ?? '';
    await sides.run(['answer', answered, 'Yes.', '--plaintext'], { env: expert });
    const env = { ...expert, RELAY_URL: liar.url };
    // What this address is, is looked at once.
    await sides.run(['whoami'], { env });
    calls.length = 0;
    const listening = sides.start(['listen', '--json'], { env });
    await listening.said(/1 more is answered and still open/);
    await all[7]?.send('And this?');
    await listening.said(/And this\?/);
    await all[30]?.send('And that?');
    await listening.said(/And that\?/);
    const { refCode } = await relay.ask({ question: 'A new one?', encrypted: false });
    await listening.said(new RegExp(`${refCode}.*A new one`));
    listening.kill('SIGINT');
    const { stdout } = await listening.ended;
    const news = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(news.filter(({ type }) => type === 'request')).toHaveLength(57);
    expect(news.some(({ type, refCode: name }) => type === 'request' && name === answered)).toBe(false);
    expect(news.filter(({ type }) => type === 'message').map(({ text }) => text)).toEqual([
      'And this?',
      'And that?',
    ]);
    const lists = calls.filter((call) => call === 'GET /api/v1/requests').length;
    expect(lists).toBeLessThan(10);
    const reads = calls.filter((call) => call.includes('/messages/'));
    expect(new Set(reads).size).toBe(3);
    expect(reads.length).toBeLessThan(15);
    expect(calls.length - lists).toBeLessThan(20);
    relay.stop();
    await liar.stop();
  });

  test('as an agent costs a list, and reads those that were answered', async () => {
    const { liar, calls } = await countCalls();
    const env = { ...agent, RELAY_URL: liar.url };
    const all = await ask(57, env);
    await sides.run(['answer', all[20] ?? '', 'Meanwhile.', '--plaintext'], { env: expert });
    await sides.run(['whoami'], { env });
    calls.length = 0;
    const listening = sides.start(['listen'], { env });
    await listening.said(/Meanwhile\./);
    await sides.run(['answer', all[40] ?? '', 'Now.', '--plaintext'], { env: expert });
    await listening.said(/Now\./);
    listening.kill('SIGTERM');
    expect((await listening.ended).code).toBe(143);
    expect(calls.filter((call) => call.includes('/messages/')).length).toBeLessThan(8);
    expect(calls.length).toBeLessThan(20);
    await liar.stop();
  });
});

describe('an outage is reported once, and so is its end', () => {
  test.each([
    ['ask', (): string[] => ['ask', 'Well?']],
    ['listen', (): string[] => ['listen']],
  ])('by relay %s', async (command, args) => {
    const cable = await createCable(sides.relay.gatewayUrl);
    const hub = await createCable(sides.relay.hubUrl);
    const env = { ...agent, RELAY_URL: cable.url, RELAY_HUB_URL: hub.url };
    const refCodes = command === 'listen' ? await ask(5, env) : [];
    const waiting = sides.start(args(), { env });
    await waiting.said(/Ctrl-C/);
    const [refCode = refCodes[0] ?? ''] = await waiting.said(/HS-[0-9A-Z]{8}/);
    await Promise.all([cable.cut(), hub.cut()]);
    await waiting.said(/cannot be reached/);
    await Promise.all([cable.restore(), hub.restore()]);
    await waiting.said(/answers again/);
    await sides.run(['answer', refCode, 'Here.', '--plaintext'], { env: expert });
    await waiting.said(/Here\./);
    if (command === 'listen') waiting.kill('SIGINT');
    const { stderr } = await waiting.ended;
    expect(occurrences(stderr, /cannot be reached/)).toBe(1);
    expect(occurrences(stderr, /answers again/)).toBe(1);
    await Promise.all([cable.stop(), hub.stop()]);
  });

  test('a limit of calls is named as such, with the time when it goes on', async () => {
    const liar = await startLyingRelay(sides.relay);
    const env = { ...agent, RELAY_URL: liar.url };
    await sides.run(['whoami'], { env });
    const body = JSON.stringify({ error: 'rate_limited', title: 'Too many calls', detail: 'Wait.' });
    const limit = { status: 429, headers: { 'retry-after': '4' }, body };
    let isLimited = true;
    liar.tell({ instead: ({ path }) => (isLimited && path === '/api/v1/help' ? limit : undefined) });
    const asking = sides.start(['ask', 'Well?', '--no-wait'], { env });
    await asking.said(
      /The relay says: "Too many calls\. Wait\." \(HTTP 429\) The next call is made at \d\d:\d\d:\d\d\./,
    );
    isLimited = false;
    const { code, stderr } = await asking.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('does not answer') });
    expect(occurrences(stderr, /Too many calls/)).toBe(1);
    liar.tell({ instead: () => limit });
    expect(await sides.run(['show'], { env })).toMatchObject({
      code: 8,
      stderr: expect.stringMatching(
        /"Too many calls\. Wait\." \(HTTP 429\) .* Try again after \d\d:\d\d:\d\d/,
      ),
    });
    await liar.stop();
  });
});

test('keys that are made while relay listen runs are used by it', async () => {
  const listening = sides.start(['listen'], { env: expert });
  await listening.said(/This machine has no keys/);
  const [refCode = ''] = await ask(1, agent);
  await listening.said(new RegExp(refCode));
  expect((await sides.run(['keys', 'make'], { env: expert })).code).toBe(0);
  expect((await sides.run(['answer', refCode, 'Which one?'], { env: expert })).code).toBe(0);
  const said = await sides.run(['ask', '--resume', refCode, 'The secret one.', '--no-wait'], { env: agent });
  expect(said.code).toBe(0);
  await listening.said(/This machine now has keys/);
  await listening.said(/agent, end-to-end encrypted\n {2}The secret one\./);
  listening.kill('SIGINT');
  expect((await listening.ended).code).toBe(130);
});
