import { type Constellation, startConstellation } from '@expert-relay/constellation';
import { startLyingRelay } from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeRoot } from './crypto/index.ts';
import { isRefusal } from './crypto/refusal.ts';
import { RelayError, type RelayErrorCode } from './index.ts';
import { drawTable } from './testing/draw-table.ts';
import { type Scene, type Stage, setScene, texts } from './testing/lies/scene.ts';
import type { AgentRow } from './testing/lies/to-agent/agent-row.ts';
import { converse } from './testing/lies/to-agent/converse.ts';
import { liesToAgents } from './testing/lies/to-agent/index.ts';
import { answers, consult, opensForAgent } from './testing/lies/to-expert/consult.ts';
import type { ExpertRow } from './testing/lies/to-expert/expert-row.ts';
import { liesToExperts } from './testing/lies/to-expert/index.ts';

/** A lying relay between an agent and an expert of its own: it tells one lie at a time. */
interface Lane {
  readonly stage: Stage & { root: ReturnType<typeof makeRoot> };
  readonly scene: Scene;
}

// Each lie is mostly waiting time, so several run concurrently.
const laneCount = 5;
const lanes: Lane[] = [];
const freeLanes: Lane[] = [];
let world: Constellation;
const seen = new Map<object, readonly string[]>();

beforeAll(async () => {
  world = await startConstellation({ env: { RELAY_HUB_RETRY: '100ms' } });
  for (let count = 0; count < laneCount; count += 1) {
    const liar = await startLyingRelay(world);
    const stage = { world, tenant: await world.makeTenant(), liar, root: makeRoot() };
    lanes.push({ stage, scene: await setScene(stage) });
  }
  freeLanes.push(...lanes);
});
afterAll(async () => {
  const rows = [...liesToAgents, ...liesToExperts].flatMap((row) => [seen.get(row) ?? []]);
  const table = [['To', 'The relay', 'The SDK'], ...rows.map((cells) => [...cells])];
  process.stdout.write(drawTable('What a lying relay does, and what the SDK does about it', table));
  for (const { stage } of lanes) await stage.liar.stop();
  await world.stop();
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

/** What is no proof of a lie does not stop the conversation. */
const stops = (code: string) => isRefusal(new RelayError(code as RelayErrorCode, ''));

describe('a lying relay, to the agent', () => {
  test.concurrent.each(liesToAgents)('that $name', (row) => inLane((lane) => lieToAgent(row, lane)));
});

describe('a lying relay, to the expert', () => {
  test.concurrent.each(liesToExperts)('that $name', (row) => inLane((lane) => lieToExpert(row, lane)));
});

async function lieToAgent(row: AgentRow, { stage, scene }: Lane): Promise<void> {
  const { conversation, got, code } = await converse(stage, scene, row);
  const did = `${stops(code) ? 'refuses' : 'says'}: ${code}`;
  seen.set(row, ['agent', row.name, code ? did : `is unharmed (${conversation.verification})`]);
  expect(code).toBe(row.code ?? '');
  const expected =
    row.upTo === undefined ? (row.code ? (row.after ?? 0) : texts.length) : Math.min(got.length, row.upTo);
  expect(got).toEqual(texts.slice(0, expected).map((text) => ({ text, protection: 'sequenced' })));
  if (row.verification) expect(conversation.verification).toBe(row.verification);
  if (!stops(code)) return;
  // It stays stopped, whatever is tried.
  stage.liar.tell({});
  await expect(conversation.send('more')).rejects.toMatchObject({ code: row.code });
  await expect(conversation.waitForAnswer({ timeout: 50 })).rejects.toMatchObject({ code: row.code });
}

async function lieToExpert(row: ExpertRow, { stage, scene }: Lane): Promise<void> {
  const { conversation, request, heard, code, sent, agent, stop } = await consult(stage, scene, row);
  try {
    seen.set(row, ['expert', row.name, describeEnd(row, code, agent.code)]);
    expect(code).toBe(row.code ?? '');
    // Nothing is shown that the two have not said, but what is called plain text.
    const plain = heard.filter(({ protection }) => protection === 'plaintext').map(({ text }) => text);
    expect(plain.filter((text) => !answers.includes(text))).toEqual(row.shownPlain ? [row.shownPlain] : []);
    const said = heard.filter(({ protection }) => protection === 'sequenced');
    const ours = said.filter(({ role }) => role === 'provider').map(({ text }) => text);
    expect(answers.slice(0, ours.length)).toEqual(ours);
    const theirs = said.filter(({ role }) => role === 'consumer').map(({ text }) => text);
    const count = row.upTo === undefined ? countOf(row) : Math.min(theirs.length, row.upTo);
    expect(theirs).toEqual(texts.slice(0, count));
    if (request && !code) expect(request.question).toBe(row.question ?? 'May I?');
    // Nothing is written for anybody but the agent, where that can be known.
    for (const body of sent) {
      if (row.isPlain) expect(body).toMatchObject({ plaintext: expect.any(String) });
      else
        expect([body.plaintext, await opensForAgent(conversation, stage.root, body)]).toEqual([
          undefined,
          !row.isForOthers,
        ]);
    }
    if (!code || row.agent !== undefined) expect(agent.code).toBe(row.agent ?? '');
    if (!code && !row.agent) expect(agent.got).toEqual(answers);
    if (!stops(code) || !request) return;
    // It stays stopped, whatever is tried.
    stage.liar.tell({});
    await expect(request.answer('more')).rejects.toMatchObject({ code: row.code });
    await expect(request.refresh()).rejects.toMatchObject({ code: row.code });
    expect(sent.length).toBeLessThanOrEqual(answers.length);
  } finally {
    await stop();
  }
}

const countOf = ({ after, code, agent }: ExpertRow): number => after ?? (code || agent ? 0 : texts.length);

function describeEnd({ unnoticed }: ExpertRow, code: string, agent: string): string {
  if (unnoticed)
    return `cannot notice: ${unnoticed}${agent && !unnoticed.includes('agent waits') ? ` (the agent: ${agent})` : ''}`;
  return code ? `${stops(code) ? 'refuses' : 'says'}: ${code}` : 'is unharmed';
}
