import { expect } from '@jest/globals';
import { isRefusal } from '../../../crypto/refusal.ts';
import type { RelayError } from '../../../index.ts';
import { texts } from '../lie-context.ts';
import { codesOf, describeError, type Lane } from '../test-lies.ts';
import type { ExpertRow } from './expert-row.ts';
import { answers, opensForAgent, runAsExpert } from './run-as-expert.ts';

/** Runs one row, by key or by session, and checks its result. */
export async function checkExpertRow(
  row: ExpertRow,
  { setup, context }: Lane,
  report: (result: string) => void,
): Promise<void> {
  const result = await runAsExpert(setup, context, row);
  const { conversation, request, listed, messages, error, sent, agent } = result;
  try {
    report(describeResult(row, error, agent.error));
    expect(codesOf(error)).toEqual(codesOf(row.error));
    if (row.listed) expect(listed).toMatchObject({ refused: codesOf(row.listed), question: '', context: [] });
    if (row.listedQuestion !== undefined) expect(listed?.question).toBe(row.listedQuestion);
    // Nothing that the agent and the expert did not write is shown.
    const plain = messages.filter(({ protection }) => protection === 'plaintext').map(({ text }) => text);
    expect(plain.filter((text) => !answers.includes(text))).toEqual([]);
    const sequenced = messages.filter(({ protection }) => protection === 'sequenced');
    const fromExpert = sequenced.filter(({ from }) => from === 'expert').map(({ text }) => text);
    expect(answers.slice(0, fromExpert.length)).toEqual(fromExpert);
    const fromAgent = sequenced.filter(({ from }) => from === 'agent').map(({ text }) => text);
    const expected = row.after ?? (row.error || row.agent ? 0 : texts.length);
    expect(fromAgent).toEqual(texts.slice(0, expected));
    if (request && (!error || row.question !== undefined)) {
      expect(request.question).toBe(row.question ?? 'May I?');
    }
    // Answers are encrypted for the agent only, where a replaced key can be noticed.
    for (const body of sent) {
      expect([body.plaintext, await opensForAgent(conversation, setup, body)]).toEqual([
        undefined,
        !row.forOthers,
      ]);
    }
    if (!error || row.agent !== undefined) expect(codesOf(agent.error)).toEqual(codesOf(row.agent));
    if (!error && !row.agent) expect(agent.answers).toEqual(answers);
    if (!isRefusal(error) || !request) return;
    // It stays refused when the relay no longer lies.
    setup.liar.tell({});
    await expect(request.answer('more')).rejects.toMatchObject(codesOf(row.error));
    await expect(request.refresh()).rejects.toMatchObject(codesOf(row.error));
    expect(sent.length).toBeLessThanOrEqual(answers.length);
  } finally {
    await result.stop();
  }
}

function describeResult({ unnoticed }: ExpertRow, error?: RelayError, agent?: RelayError): string {
  if (unnoticed)
    return `cannot notice: ${unnoticed}${agent && !unnoticed.includes('agent waits') ? ` (the agent: ${agent.reason ?? agent.code})` : ''}`;
  return error ? describeError(error) : 'works';
}
