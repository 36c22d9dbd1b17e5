import { expect, test } from '@jest/globals';
import { useAgent, useTestCli } from '../testing/test-cli.ts';

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
