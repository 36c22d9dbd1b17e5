import { expect } from '@jest/globals';
import { texts } from './testing/lies/lie-context.ts';
import { describeError, endsConversation, testLies } from './testing/lies/test-lies.ts';
import { liesToAgents } from './testing/lies/to-agent/index.ts';
import { runAsAgent } from './testing/lies/to-agent/run-as-agent.ts';

testLies('to the agent', liesToAgents, async (row, { setup, context }, report) => {
  const { conversation, code, answers, sent } = await runAsAgent(setup, context, row);
  report(code ? describeError(code) : `works (${conversation?.verification})`);
  expect(code).toBe(row.code ?? '');
  if (row.stopsAtSubmit) expect(conversation).toBeUndefined();
  const expected =
    row.upTo === undefined
      ? (row.after ?? (row.code ? 0 : texts.length))
      : Math.min(answers.length, row.upTo);
  expect(answers).toEqual(texts.slice(0, expected).map((text) => ({ text, protection: 'sequenced' })));
  // Only a confidential question is sent as a message, and only to keys that were accepted.
  if (row.code) expect(sent).toBe(0);
  if (row.verification) expect(conversation?.verification).toBe(row.verification);
  if (!endsConversation(code) || !conversation) return;
  // It stays refused when the relay no longer lies.
  setup.liar.tell({});
  await expect(conversation.send('more')).rejects.toMatchObject({ code: row.code });
  await expect(conversation.waitForAnswer({ timeout: 50 })).rejects.toMatchObject({ code: row.code });
});
