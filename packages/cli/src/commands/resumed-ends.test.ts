import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeParts } from '@expert-relay/sdk/crypto/wire';
import type { Lie } from '@expert-relay/testkit';
import { alterList } from '@expert-relay/testkit/lies';
import { expect, test } from '@jest/globals';
import { openExpertRoot } from '../store/expert-root.ts';
import { createCommandRunner } from '../testing/command-runner.ts';
import { sendParts } from '../testing/send-parts.ts';
import { openTestCli, useAgent, useTestCli } from '../testing/test-cli.ts';

/* A command that ended is continued by hand: `relay ask --resume` ends in the same class, a yes, a no or neither, for ever. */

const cli = useTestCli();
useAgent(cli);

const answer =
  (...words: string[]) =>
  async (refCode: string) =>
    void (await cli.answer(refCode, ...words));
/** As the relay itself could. */
async function writeInPlainText(refCode: string): Promise<void> {
  const { requestId } = JSON.parse((await cli.asExpert('show', refCode, '--json')).stdout);
  const sent = await fetch(`${cli.relay.gatewayUrl}/api/v1/message/${requestId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': cli.expert.RELAY_API_KEY ?? '' },
    body: JSON.stringify({ role: 'provider', plaintext: 'Approved.' }),
  });
  expect(sent.status).toBe(201);
}
async function contradict(refCode: string): Promise<void> {
  await cli.answer(refCode, '--choose', 'eu');
  await cli.answer(refCode, '--choose', 'us');
}
const nothing = async () => {};
const close = async (refCode: string) => void (await cli.asExpert('close', refCode));

const approve = ['approve', 'Delete it?'];
const choose = ['ask', 'Where?', '--choice', 'eu', '--choice', 'us'];

type Row = [string, string[], (refCode: string) => Promise<void>, number, number];
const rows: Row[] = [
  ['accepted', approve, answer('--approve', 'Go.'), 0, 0],
  ['accepted, with a limit of its age', [...approve, '--valid-for', '1h'], answer('--approve', 'Go.'), 0, 0],
  ['a choice', choose, answer('--choose', 'eu'), 0, 0],
  ['declined', approve, answer('--decline', 'No.'), 13, 13],
  ['nothing in time', [...approve, '--keep-open'], nothing, 3, 3],
  ['nothing in time, and closed', approve, nothing, 3, 4],
  ['closed by the expert', approve, close, 4, 4],
  ['plain text', approve, writeInPlainText, 11, 11],
];

test.each(rows)('%s', async (_name, args, decide, code, resumed) => {
  const run = cli.start([...args, '--wait', decide === nothing ? '1s' : '120s'], { env: cli.agent });
  const [refCode] = await run.printed(/HS-\w{8}/);
  await run.printed(/Waiting up to/);
  await decide(refCode);
  const first = await run.ended;
  expect(first.code).toBe(code);
  for (const _again of [1, 2]) {
    const again = await cli.asAgent('ask', '--resume', refCode, '--wait', resumed === 3 ? '1s' : '60s');
    expect(again).toMatchObject({ code: resumed, stdout: first.stdout });
  }
});

/** Answered when nothing waits any more; then each command ends in the same way. */
const twoHours = { clockAheadMs: 7_200_000 };
const limited = [...approve, '--wait', '1s', '--valid-for', '1h'];
const lateRows: [string, string[], (refCode: string) => Promise<void>, number, { clockAheadMs?: number }][] =
  [
    ['a contradiction', [...choose, '--no-wait'], contradict, 14, {}],
    ['too old, and open', [...limited, '--keep-open'], answer('--approve', 'Go.'), 15, twoHours],
    ['too old, with a name', [...limited, '--once', 'too old'], answer('--approve', 'Go.'), 15, twoHours],
    ['a no, which is never too old', [...limited, '--keep-open'], answer('--decline', 'No.'), 13, twoHours],
  ];
test.each(lateRows)('%s', async (_name, args, decide, code, clock) => {
  const { stdout, stderr } = await cli.asAgent(...args);
  const [refCode = ''] = /HS-\w{8}/.exec(stdout + stderr) ?? [];
  await decide(refCode);
  const run = (...words: string[]) => cli.start(words, { env: cli.agent, ...clock }).ended;
  const again = args.includes('--once')
    ? [await run(...args.map((word) => (word === '1s' ? '60s' : word)))]
    : [];
  for (const _again of [1, 2]) again.push(await run('ask', '--resume', refCode, '--wait', '60s'));
  expect(again.map((one) => one.code)).toEqual(again.map(() => code));
  expect(again.map((one) => one.stdout)).toEqual(again.map(() => (code === 13 ? 'No.\n' : '')));
});

/** What the expert's client of another make may send. */
async function answerMars(refCode: string): Promise<void> {
  const { requestId, form } = JSON.parse((await cli.asExpert('show', refCode, '--json')).stdout);
  const { RELAY_CONFIG_DIR: folder = '', RELAY_API_KEY: providerKey = '' } = cli.expert;
  const root = (await openExpertRoot(folder, providerKey).read()) as Uint8Array;
  const json = JSON.stringify({
    action: 'accept',
    content: { choice: 'mars' },
    decidedAt: new Date().toISOString(),
  });
  const answer = { of: Uint8Array.from(Buffer.from(form.of, 'base64')), json };
  const client = { gatewayUrl: cli.relay.gatewayUrl, providerKey, root };
  await sendParts(client, requestId, { text: 'Mars it is.', parts: writeParts({ answer }) });
}

test('an answer that does not fit the form, until the expert decides again', async () => {
  const refCode = await cli.ask('Where?', ...choose.slice(2));
  expect((await cli.pickUp(refCode)).code).toBe(0);
  await answerMars(refCode);
  const resume = () => cli.asAgent('ask', '--resume', refCode, '--wait', '60s');
  for (const _again of [1, 2, 3]) {
    const { code, stdout, stderr } = await resume();
    expect({ code, stdout, stderr }).toEqual({
      code: 14,
      stdout: '',
      stderr: expect.stringMatching(/Choose one of the options\.\nThis is neither a yes nor a no\./),
    });
  }
  // The agent has seen it, and asks again.
  const asking = await cli.asAgent('ask', '--resume', refCode, 'Which region?', '--wait', '2s');
  expect(asking).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('Mars it is.') });
  expect(await cli.asAgent('ask', '--resume', refCode, '--wait', '2s')).toMatchObject({ code: 3 });
  await cli.answer(refCode, '--choose', 'eu');
  for (const _again of [1, 2]) expect(await resume()).toMatchObject({ code: 0, stdout: 'eu\n' });
});

test('expired', async () => {
  const brief = await openTestCli({ relay: { env: { RELAY_CONVERSATION_TTL: '2s' } } });
  const ends = [await brief.asAgent(...choose, '--wait', '60s')];
  const [refCode = ''] = /HS-\w{8}/.exec(ends[0]?.stderr ?? '') ?? [];
  for (const _again of [1, 2]) ends.push(await brief.asAgent('ask', '--resume', refCode, '--wait', '60s'));
  await brief.stop();
  for (const end of ends)
    expect(end).toMatchObject({ code: 5, stdout: '', stderr: expect.stringContaining('has expired') });
});

/** Why a command cannot find out what was decided. */
interface Cause {
  readonly words?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly lie?: Lie;
  /** Ends it, where the relay does not. */
  end?(): void;
}

function alterState(refCode: string, alter: (text: string) => string): Cause {
  const folder = join(cli.agent.RELAY_CONFIG_DIR ?? '', 'agents');
  const names = readdirSync(folder).filter((name) => name.startsWith('conversation.'));
  const paths = names.map((name) => join(folder, name));
  const path = paths.find((one) => readFileSync(one, 'utf8').includes(refCode)) ?? '';
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, alter(text));
  return { end: () => writeFileSync(path, text) };
}

const otherKey = async () => (await cli.relay.makeTenant()).consumerKey;
const unknownKey = async () => (await otherKey()).replace(/.$/, (last) => (last === '0' ? '1' : '0'));
const causes: [string, number, RegExp, (refCode: string) => Cause | Promise<Cause>][] = [
  ['a wrong option', 2, /go with a text/, () => ({ words: ['--choice', 'eu'] })],
  ['a wrong key', 6, /Set RELAY_API_KEY again/, async () => ({ env: { RELAY_API_KEY: await unknownKey() } })],
  ['a hidden message', 7, /Nothing of it was shown/, () => ({ lie: alterList((all) => void all.shift()) })],
  [
    'no relay',
    8,
    /Whether there is a decision is not known/,
    () => ({ lie: { swallow: () => ({ status: 503, body: { status: 503 } }) } }),
  ],
  ["another user's key", 9, /or it is not yours/, async () => ({ env: { RELAY_API_KEY: await otherKey() } })],
  [
    'a damaged file',
    10,
    /The file \S+\/conversation\.\S+\.value is damaged/,
    (refCode) => alterState(refCode, (text) => text.slice(1)),
  ],
  [
    'a state of another version',
    2,
    /Another version of the SDK saved this: resume it there\./,
    (refCode) => alterState(refCode, (text) => text.replace(/(?<=version\W+)2/, '1')),
  ],
];

test.each(causes)('%s, for as long as that lasts', async (_name, code, sentence, cause) => {
  const liar = await cli.startLyingRelay();
  const env = { ...cli.agent, RELAY_URL: liar.url };
  const asked = await cli.run([...choose, '--no-wait'], { env });
  const refCode = asked.stdout.trim();
  await cli.answer(refCode, 'One moment.');
  await cli.answer(refCode, '--choose', 'eu');
  const { words = [], lie = {}, env: changes, end } = await cause(refCode);
  const resume = (wait: string) => ['ask', '--resume', refCode, '--wait', wait];
  // It repeats calls for seconds only.
  const runner = code === 8 ? await createCommandRunner({ quick: 'limits' }) : cli;
  liar.tell(lie);
  for (const _again of [1, 2]) {
    const { stderr, ...ended } = await runner.run([...resume(code === 8 ? '3s' : '60s'), ...words], {
      env: { ...env, ...changes },
    });
    expect({ ...ended, stderr }).toEqual({ code, stdout: '', stderr: expect.stringMatching(sentence) });
  }
  if (runner !== cli) await runner.stop();
  liar.tell({});
  end?.();
  expect(await cli.run(resume('60s'), { env })).toMatchObject({ code: 0, stdout: 'eu\n' });
});
