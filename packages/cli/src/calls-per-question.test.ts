import { createRelay } from '@expert-relay/sdk';
import { makeRoot } from '@expert-relay/sdk/crypto';
import { createExpert } from '@expert-relay/sdk/expert';
import { eventually, type LyingRelay } from '@expert-relay/testkit';
import { beforeAll, expect, test } from '@jest/globals';
import { startMcpClient } from './testing/mcp-client.ts';
import { useTestCli } from './testing/test-cli.ts';

/*
 * How many calls at the gateway one question costs an agent that waits for the answer. An office or a CI system makes all of them
 * from one address, which has 30 a minute. The stream is at the hub, which has limits of its own.
 */

const cli = useTestCli();
let relay: LyingRelay;
let calls: string[] = [];
/** Always the same expert: another one would be refused, with other calls. */
const root = makeRoot();

beforeAll(async () => {
  // A proxy that only counts.
  relay = await cli.startLyingRelay();
  relay.tell({ call: ({ method, path }) => void calls.push(`${method} ${path.replace(/[\w-]{22}.*/, '')}`) });
  // The first command at an address checks it once.
  await cli.run(['show'], { env: environment() });
});

const environment = () => ({ ...cli.agent, RELAY_URL: relay.url });

/** An expert who picks up and answers, directly at the relay: a program at once, a person when the agent has shown the pick-up. */
async function answer(
  refCode: string,
  approve: boolean,
  pickUpIsShown?: () => Promise<unknown>,
): Promise<void> {
  const { RELAY_API_KEY: apiKey } = cli.expert as { RELAY_API_KEY: string };
  const expert = createExpert({ url: cli.relay.gatewayUrl, apiKey, root });
  const request = await expert.request(refCode);
  if (pickUpIsShown) {
    await request.pickUp();
    await pickUpIsShown();
  }
  await request.answer('Yes.', approve ? { decision: { action: 'accept', content: {} } } : {});
  expert.stop();
}

/** Each begins to ask, and returns the reference code, how it shows the pick-up, and the answer that it gets in the end. */
const agents = {
  'relay ask': () => run('ask', 'May I?'),
  'relay approve': () => run('approve', 'May I?'),
  async 'ask of the SDK'() {
    const { RELAY_API_KEY: apiKey } = cli.agent as { RELAY_API_KEY: string };
    const client = createRelay({ url: relay.url, apiKey });
    const conversation = await client.ask({ question: 'May I?' });
    const answered = conversation.waitForAnswer({ timeoutMs: 120_000 }).finally(() => client.stop());
    const pickUpIsShown = () => eventually('the pick-up', () => conversation.isPickedUp);
    return { refCode: conversation.refCode, pickUpIsShown, got: answered.then(({ text }) => text) };
  },
  async 'ask_expert and wait_for_answer of MCP'() {
    const agent = await startMcpClient({ env: environment() });
    const { data } = await agent.call('ask_expert', { question: 'May I?' });
    const answered = agent
      .call('wait_for_answer', { reference: data.reference, max_seconds: 50 })
      .finally(() => agent.close());
    const got = answered.then(({ data }) => data.answers[0]?.text);
    return { refCode: data.reference as string, pickUpIsShown: undefined, got };
  },
} as const;

async function run(...args: string[]) {
  const { printed, ended } = cli.start([...args, '--wait', '2m'], { env: environment() });
  const [refCode] = await printed(/HS-\w{8}/);
  const got = ended.then(({ stdout, stderr }) => stdout.trim() || stderr);
  return { refCode, pickUpIsShown: () => printed(/picked up/), got };
}

/** One read after the event of the answer. */
const ask = ['POST /api/v1/help', 'GET /api/v1/messages/'];
const approve = [...ask, 'POST /api/v1/close/'];
/**
 * Each tool resumes the conversation with a client of its own. It reads the list at once, to see whether the relay answers, when the
 * stream is open, and after the event of the answer.
 */
const resumed = ['GET /.well-known/expert-relay', ...Array<string>(4).fill('GET /api/v1/messages/')];

const tries = 5;

test.each([
  ['relay ask', 'a program', ask],
  ['relay ask', 'a person', ask],
  ['relay approve', 'a program', approve],
  ['relay approve', 'a person', approve],
  ['ask of the SDK', 'a program', ask],
  ['ask of the SDK', 'a person', ask],
  ['ask_expert and wait_for_answer of MCP', 'a program', ['POST /api/v1/help', ...resumed]],
] as const)('%s, answered by %s, makes no more calls than these', async (name, by, expected) => {
  let fewest: readonly string[] | undefined;
  // If a process is paused, its stream may be opened again, or what was read may be too old to decide by it.
  for (let count = 0; count < tries && (fewest?.length ?? expected.length + 1) > expected.length; count++) {
    calls = [];
    const { refCode, pickUpIsShown, got } = await agents[name]();
    await answer(refCode, name === 'relay approve', by === 'a person' ? pickUpIsShown : undefined);
    expect(await got).toBe('Yes.');
    if (!fewest || calls.length < fewest.length) fewest = calls;
  }
  // What is resumed may find the answer in the list.
  const most: string[] = [...expected];
  for (const call of fewest ?? []) expect(most.splice(most.indexOf(call), 1)).toEqual([call]);
});
