import type { Role } from '../../../crypto/key-exchange.ts';
import type { MessageRecord } from '../../../crypto/message.ts';
import type { Draft, Side } from '../case.ts';
import { agentSide, expertSide } from '../people.ts';
import { runCase } from '../run-case.ts';
import { seal, toSeal } from './messages.ts';
import { signVersions } from './pick-ups.ts';

/** Messages of conversations whose exchange names other versions besides, or is not signed. */
export async function versionCases(): Promise<Draft[]> {
  const later = { keySignature: await signVersions('0405') };
  const [agent, expert] = [
    { ...(await agentSide()), ...later },
    { ...(await expertSide()), ...later },
  ];
  const asked = await sealBy(agent, 'a question where both know a later version', 'consumer');
  const answer = await sealBy(expert, 'an answer where both know a later version', 'provider', [
    asked.record,
  ]);
  const opening = (name: string, side: Side, records: MessageRecord[], error?: string): Draft => ({
    name: `opening: ${name}`,
    kind: 'open',
    input: { side, records },
    ...(error && { error }),
  });
  const { keySignature: _, ...unsigned } = await agentSide();
  const { record } = await seal('where the agent has no signature', 'provider', 'Which one?');
  return [
    asked.draft,
    answer.draft,
    opening('messages where both know a later version', agent, [asked.record, answer.record]),
    opening(
      'versions that the other side did not sign',
      await expertSide(),
      [asked.record],
      'wrong_signature',
    ),
    opening('an exchange without a signature counts as one with 04 alone', unsigned, [record]),
  ];
}

async function sealBy(side: Side, name: string, role: Role, before: MessageRecord[] = []) {
  const input = { side, before, ...toSeal(name, 'text') };
  const { message } = await runCase('seal', input);
  const draft: Draft = { name: `sealing: ${name}`, kind: 'seal', input };
  return { record: { role, ...message }, draft };
}
