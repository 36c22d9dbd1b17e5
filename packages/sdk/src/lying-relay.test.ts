import { startConstellation } from '@expert-relay/constellation';
import { startLyingRelay } from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeRoot } from './crypto/index.ts';
import { isRefusal } from './crypto/refusal.ts';
import { RelayError, type RelayErrorCode } from './index.ts';
import { drawTable } from './testing/draw-table.ts';
import { type Scene, type Stage, setScene, texts } from './testing/lies/scene.ts';
import { converse } from './testing/lies/to-agent/converse.ts';
import { liesToAgents } from './testing/lies/to-agent/index.ts';
import { answers, consult, opensForAgent } from './testing/lies/to-expert/consult.ts';
import type { ExpertRow } from './testing/lies/to-expert/expert-row.ts';
import { liesToExperts } from './testing/lies/to-expert/index.ts';

let stage: Stage & { root: ReturnType<typeof makeRoot> };
let scene: Scene;
const seen: string[][] = [['To', 'The relay', 'The SDK']];

beforeAll(async () => {
  const world = await startConstellation({ env: { RELAY_HUB_RETRY: '100ms' } });
  stage = { world, tenant: await world.makeTenant(), liar: await startLyingRelay(world), root: makeRoot() };
  scene = await setScene(stage);
});
afterAll(async () => {
  process.stdout.write(drawTable('What a lying relay does, and what the SDK does about it', seen));
  await stage.liar.stop();
  await stage.world.stop();
});

/** What is no proof of a lie does not stop the conversation. */
const stops = (code: string) => isRefusal(new RelayError(code as RelayErrorCode, ''));

describe('a lying relay, to the agent', () => {
  test.each(liesToAgents)('that $name', async (row) => {
    const { conversation, got, code } = await converse(stage, scene, row);
    const did = `${stops(code) ? 'refuses' : 'says'}: ${code}`;
    seen.push(['agent', row.name, code ? did : `is unharmed (${conversation.verification})`]);
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
  });
});

describe('a lying relay, to the expert', () => {
  test.each(liesToExperts)('that $name', async (row) => {
    const { conversation, request, heard, code, sent, agent, stop } = await consult(stage, scene, row);
    try {
      seen.push(['expert', row.name, describeEnd(row, code, agent.code)]);
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
  });
});

const countOf = ({ after, code, agent }: ExpertRow): number => after ?? (code || agent ? 0 : texts.length);

function describeEnd({ unnoticed }: ExpertRow, code: string, agent: string): string {
  if (unnoticed)
    return `cannot notice: ${unnoticed}${agent && !unnoticed.includes('agent waits') ? ` (the agent: ${agent})` : ''}`;
  return code ? `${stops(code) ? 'refuses' : 'says'}: ${code}` : 'is unharmed';
}
