import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isRefusal } from './crypto/refusal.ts';
import { RelayError, type RelayErrorCode } from './index.ts';
import { drawTable } from './testing/draw-table.ts';
import { type LieContext, makeLieContext, makeSetup, type Setup, texts } from './testing/lies/lie-context.ts';
import type { AgentRow } from './testing/lies/to-agent/agent-row.ts';
import { liesToAgents } from './testing/lies/to-agent/index.ts';
import { runAsAgent } from './testing/lies/to-agent/run-as-agent.ts';
import type { ExpertRow } from './testing/lies/to-expert/expert-row.ts';
import { liesToExperts } from './testing/lies/to-expert/index.ts';
import { answers, opensForAgent, runAsExpert } from './testing/lies/to-expert/run-as-expert.ts';
import { useTestServer } from './testing/use-test-server.ts';

const server = useTestServer();

/** A lying relay with an agent and an expert of its own. It tells one lie at a time. */
interface Lane {
  readonly setup: Setup;
  readonly context: LieContext;
}

// Each lie is mostly waiting time, so several run at the same time: as many as Jest's default for `maxConcurrency`.
const laneCount = 5;
const freeLanes: Lane[] = [];
const results = new Map<object, readonly string[]>();

beforeAll(async () => {
  for (let count = 0; count < laneCount; count += 1) {
    const setup = await makeSetup(server);
    freeLanes.push({ setup, context: await makeLieContext(setup) });
  }
});
afterAll(() => {
  const rows = [...liesToAgents, ...liesToExperts].flatMap((row) => [results.get(row) ?? []]);
  const table = [['To', 'The relay', 'The SDK'], ...rows.map((cells) => [...cells])];
  process.stdout.write(drawTable('What a lying relay does, and what the SDK does', table));
});

async function inLane(check: (lane: Lane) => Promise<void>): Promise<void> {
  const lane = freeLanes.pop();
  if (!lane)
    throw new Error('More tests run at the same time than there are lanes: see maxConcurrency of Jest.');
  try {
    await check(lane);
  } finally {
    freeLanes.push(lane);
  }
}

/** Whether an error ends the conversation. Errors that are no proof of a lie do not. */
const endsConversation = (code: string) => isRefusal(new RelayError(code as RelayErrorCode, ''));

const describeError = (code: string) => `${endsConversation(code) ? 'refuses' : 'reports'}: ${code}`;

describe('a lying relay, to the agent', () => {
  test.concurrent.each(liesToAgents)('that $name', (row) => inLane((lane) => lieToAgent(row, lane)));
});

describe('a lying relay, to the expert', () => {
  test.concurrent.each(liesToExperts)('that $name', (row) => inLane((lane) => lieToExpert(row, lane)));
});

async function lieToAgent(row: AgentRow, { setup, context }: Lane): Promise<void> {
  const result = await runAsAgent(setup, context, row);
  const { conversation, code } = result;
  results.set(row, ['agent', row.name, code ? describeError(code) : `works (${conversation.verification})`]);
  expect(code).toBe(row.code ?? '');
  const expected =
    row.upTo === undefined
      ? (row.after ?? (row.code ? 0 : texts.length))
      : Math.min(result.answers.length, row.upTo);
  expect(result.answers).toEqual(texts.slice(0, expected).map((text) => ({ text, protection: 'sequenced' })));
  if (row.verification) expect(conversation.verification).toBe(row.verification);
  if (!endsConversation(code)) return;
  // It stays refused when the relay does not lie any more.
  setup.liar.tell({});
  await expect(conversation.send('more')).rejects.toMatchObject({ code: row.code });
  await expect(conversation.waitForAnswer({ timeout: 50 })).rejects.toMatchObject({ code: row.code });
}

async function lieToExpert(row: ExpertRow, { setup, context }: Lane): Promise<void> {
  const result = await runAsExpert(setup, context, row);
  const { conversation, request, messages, code, sent, agent } = result;
  try {
    results.set(row, ['expert', row.name, describeResult(row, code, agent.code)]);
    expect(code).toBe(row.code ?? '');
    // Messages that the agent and the expert did not write are shown only as plain text.
    const plain = messages.filter(({ protection }) => protection === 'plaintext').map(({ text }) => text);
    expect(plain.filter((text) => !answers.includes(text))).toEqual(row.shownPlain ? [row.shownPlain] : []);
    const sequenced = messages.filter(({ protection }) => protection === 'sequenced');
    const fromExpert = sequenced.filter(({ role }) => role === 'provider').map(({ text }) => text);
    expect(answers.slice(0, fromExpert.length)).toEqual(fromExpert);
    const fromAgent = sequenced.filter(({ role }) => role === 'consumer').map(({ text }) => text);
    const expected = row.after ?? (row.code || row.agent ? 0 : texts.length);
    expect(fromAgent).toEqual(texts.slice(0, expected));
    if (request && !code) expect(request.question).toBe(row.question ?? 'May I?');
    // Answers are encrypted for the agent only, where a replaced key can be noticed.
    for (const body of sent) {
      expect([body.plaintext, await opensForAgent(conversation, setup.root, body)]).toEqual([
        undefined,
        !row.isForOthers,
      ]);
    }
    if (!code || row.agent !== undefined) expect(agent.code).toBe(row.agent ?? '');
    if (!code && !row.agent) expect(agent.answers).toEqual(answers);
    if (!endsConversation(code) || !request) return;
    // It stays refused when the relay does not lie any more.
    setup.liar.tell({});
    await expect(request.answer('more')).rejects.toMatchObject({ code: row.code });
    await expect(request.refresh()).rejects.toMatchObject({ code: row.code });
    expect(sent.length).toBeLessThanOrEqual(answers.length);
  } finally {
    await result.stop();
  }
}

function describeResult({ unnoticed }: ExpertRow, code: string, agent: string): string {
  if (unnoticed)
    return `cannot notice: ${unnoticed}${agent && !unnoticed.includes('agent waits') ? ` (the agent: ${agent})` : ''}`;
  return code ? describeError(code) : 'works';
}
