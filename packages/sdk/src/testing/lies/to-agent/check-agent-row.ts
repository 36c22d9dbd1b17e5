import { expect } from '@jest/globals';
import { texts } from '../lie-context.ts';
import { describeError, endsConversation, type Lane } from '../test-lies.ts';
import type { AgentRow } from './agent-row.ts';
import { runAsAgent } from './run-as-agent.ts';

/** Runs one row, and checks its result. */
export async function checkAgentRow(
  row: AgentRow,
  { setup, context }: Lane,
  report: (result: string) => void,
): Promise<void> {
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
  await expect(conversation.waitForAnswer({ timeoutMs: 50 })).rejects.toMatchObject({ code: row.code });
}
