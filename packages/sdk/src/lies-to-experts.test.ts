import { expect } from '@jest/globals';
import { texts } from './testing/lies/lie-context.ts';
import { describeError, endsConversation, testLies } from './testing/lies/test-lies.ts';
import type { ExpertRow } from './testing/lies/to-expert/expert-row.ts';
import { liesToExperts } from './testing/lies/to-expert/index.ts';
import { answers, opensForAgent, runAsExpert } from './testing/lies/to-expert/run-as-expert.ts';

testLies('to the expert', liesToExperts, async (row, { setup, context }, report) => {
  const result = await runAsExpert(setup, context, row);
  const { conversation, request, messages, code, sent, agent } = result;
  try {
    report(describeResult(row, code, agent.code));
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
      expect([body.plaintext, await opensForAgent(conversation, setup, body)]).toEqual([
        undefined,
        !row.isForOthers,
      ]);
    }
    if (!code || row.agent !== undefined) expect(agent.code).toBe(row.agent ?? '');
    if (!code && !row.agent) expect(agent.answers).toEqual(answers);
    if (!endsConversation(code) || !request) return;
    // It stays refused when the relay no longer lies.
    setup.liar.tell({});
    await expect(request.answer('more')).rejects.toMatchObject({ code: row.code });
    await expect(request.refresh()).rejects.toMatchObject({ code: row.code });
    expect(sent.length).toBeLessThanOrEqual(answers.length);
  } finally {
    await result.stop();
  }
});

function describeResult({ unnoticed }: ExpertRow, code: string, agent: string): string {
  if (unnoticed)
    return `cannot notice: ${unnoticed}${agent && !unnoticed.includes('agent waits') ? ` (the agent: ${agent})` : ''}`;
  return code ? describeError(code) : 'works';
}
