import { createRelay } from '@expert-relay/sdk';
import { makeRoot } from '@expert-relay/sdk/crypto';
import { createExpert } from '@expert-relay/sdk/expert';
import type { LyingRelay } from '@expert-relay/testkit';
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

beforeAll(async () => {
  // A proxy that only counts.
  relay = await cli.startLyingRelay();
  relay.tell({ call: ({ method, path }) => void calls.push(`${method} ${path.replace(/[\w-]{22}.*/, '')}`) });
  // The first command at an address checks it once.
  await cli.run(['show'], { env: environment() });
});

const environment = () => ({ ...cli.agent, RELAY_URL: relay.url });

/** An expert who picks up and answers at once, directly at the relay. */
async function answer(refCode: string, approve: boolean): Promise<void> {
  const { RELAY_API_KEY: apiKey } = cli.expert as { RELAY_API_KEY: string };
  const expert = createExpert({ url: cli.relay.gatewayUrl, apiKey, root: makeRoot() });
  const request = await expert.request(refCode);
  await request.answer('Yes.', approve ? { decision: { action: 'accept', content: {} } } : {});
  expert.stop();
}

/** Each begins to ask, and returns the reference code and the end. */
const agents = {
  'relay ask': () => run('ask', 'May I?'),
  'relay approve': () => run('approve', 'May I?'),
  async 'ask of the SDK'() {
    const { RELAY_API_KEY: apiKey } = cli.agent as { RELAY_API_KEY: string };
    const client = createRelay({ url: relay.url, apiKey });
    const conversation = await client.ask({ question: 'May I?' });
    const ended = conversation.waitForAnswer({ timeout: 120_000 }).finally(() => client.stop());
    return { refCode: conversation.refCode, ended };
  },
  async 'ask_expert and wait_for_answer of MCP'() {
    const agent = await startMcpClient({ env: environment() });
    const { data } = await agent.call('ask_expert', { question: 'May I?' });
    const ended = agent
      .call('wait_for_answer', { reference: data.reference, max_seconds: 50 })
      .finally(() => agent.close());
    return { refCode: data.reference as string, ended };
  },
} as const;

async function run(...args: string[]) {
  const { printed, ended } = cli.start([...args, '--wait', '2m'], { env: environment() });
  const [refCode] = await printed(/HS-\w{8}/);
  return { refCode, ended };
}

/** One read when the stream is open, since an answer may have come before, and one after the event of the answer. */
const ask = ['POST /api/v1/help', 'GET /api/v1/messages/', 'GET /api/v1/messages/'];
/** Each tool resumes the conversation with a client of its own. */
const resumed = ['GET /.well-known/expert-relay', 'GET /api/v1/messages/'];

const tries = 5;

test.each([
  ['relay ask', ask],
  ['relay approve', [...ask, 'POST /api/v1/close/']],
  ['ask of the SDK', ask],
  ['ask_expert and wait_for_answer of MCP', [...ask, ...resumed]],
] as const)('%s makes no more calls than these', async (name, expected) => {
  let fewest: readonly string[] | undefined;
  // If a process is paused between the pick-up and the answer, each of them is read.
  for (let count = 0; count < tries && (fewest?.length ?? expected.length + 1) > expected.length; count++) {
    calls = [];
    const { refCode, ended } = await agents[name]();
    await answer(refCode, name === 'relay approve');
    await ended;
    if (!fewest || calls.length < fewest.length) fewest = calls;
  }
  // If the answer comes before the stream is open, one read has it.
  const most = [...expected];
  for (const call of fewest ?? []) expect(most.splice(most.indexOf(call), 1)).toEqual([call]);
});
