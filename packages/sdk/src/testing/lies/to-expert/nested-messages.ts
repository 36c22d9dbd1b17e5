import { alterSecondOf } from '@expert-relay/testkit/lies';
import type { ExpertRow } from './expert-row.ts';

/** Lists in lists, deeper than a recursion can go. They are inserted as text, since JSON.stringify would fail. */
function nested(member: string): ExpertRow {
  const mark = '(nested)';
  const { answer } = alterSecondOf('consumer', (message) => Object.assign(message, { [member]: mark }));
  const deep = '['.repeat(20_000) + ']'.repeat(20_000);
  return {
    name: `returns deeply nested lists as \`${member}\``,
    lie: () => ({
      answer: (real, call) => JSON.stringify(answer?.(real, call)).replaceAll(`"${mark}"`, deep),
    }),
    error: { code: 'untrusted', reason: 'malformed_message' },
    after: 1,
  };
}

/** Messages that could overflow the stack of a reader. */
export const nestedMessages: readonly ExpertRow[] = ['encrypted', 'signature', 'messageId', 'role'].map(
  nested,
);
