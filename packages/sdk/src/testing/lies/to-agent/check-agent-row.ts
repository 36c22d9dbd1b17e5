import { expect } from '@jest/globals';
import { isRefusal } from '../../../crypto/refusal.ts';
import { texts } from '../lie-context.ts';
import { codesOf, describeError, type Lane } from '../test-lies.ts';
import type { AgentRow } from './agent-row.ts';
import { runAsAgent } from './run-as-agent.ts';

/** Runs one row, and checks its result. */
export async function checkAgentRow(
  row: AgentRow,
  { setup, context }: Lane,
  report: (result: string) => void,
): Promise<void> {
  const { conversation, error, answers, sent } = await runAsAgent(setup, context, row);
  report(error ? describeError(error) : `works (${conversation?.verification})`);
  expect(codesOf(error)).toEqual(codesOf(row.error));
  if (row.stopsAtSubmit) expect(conversation).toBeUndefined();
  const expected =
    row.upTo === undefined
      ? (row.after ?? (row.error ? 0 : texts.length))
      : Math.min(answers.length, row.upTo);
  expect(answers).toEqual(texts.slice(0, expected).map((text) => ({ text, protection: 'sequenced' })));
  // Only a confidential question is sent as a message, and only to keys that were accepted.
  if (row.error) expect(sent).toBe(0);
  if (row.verification) expect(conversation?.verification).toBe(row.verification);
  if (!isRefusal(error) || !conversation) return;
  // It stays refused when the relay no longer lies.
  setup.liar.tell({});
  await expect(conversation.send('more')).rejects.toMatchObject(codesOf(row.error));
  await expect(conversation.waitForAnswer({ timeoutMs: 50 })).rejects.toMatchObject(codesOf(row.error));
}
