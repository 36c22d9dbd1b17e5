import { alterSecondOf, blobOf, randomBase64 } from '../alter-list.ts';
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
    code: 'malformed_message',
    after: 1,
  };
}

const row = (name: string, garbage: object, code = 'malformed_message'): ExpertRow => ({
  name,
  lie: () => alterSecondOf('consumer', (message) => Object.assign(message, garbage)),
  code,
  after: 1,
});

/** Malformed messages of the agent. */
export const malformedMessages: readonly ExpertRow[] = [
  ...(['iv', 'ciphertext', 'tag', 'ephemeralPublicKey'] as const).flatMap((member) =>
    [null, 7, randomBase64(7).repeat(2)].map((garbage) => ({
      name: `returns ${JSON.stringify(garbage).slice(0, 12)} as \`${member}\``,
      lie: () =>
        alterSecondOf('consumer', (message) => Object.assign(blobOf(message), { [member]: garbage })),
      code: 'malformed_message',
      after: 1,
    })),
  ),
  ...[42, randomBase64(63)].map((signature) =>
    row(`says ${JSON.stringify(signature).slice(0, 12)} as \`signature\``, { signature }),
  ),
  ...[42, 'x', [[]], {}].map((encrypted) =>
    row(`says ${JSON.stringify(encrypted)} as \`encrypted\``, { encrypted }),
  ),
  ...[7, 'x', null].map((messageId) =>
    row(`says ${JSON.stringify(messageId)} as \`messageId\``, { messageId }),
  ),
  ...[7, 'operator', null].map((role) => row(`says ${JSON.stringify(role)} as \`role\``, { role })),
  ...['7', null, -1, 1e300, 2 ** 60].map((seq) =>
    row(`says ${JSON.stringify(seq)} as \`seq\``, { seq }, 'unexpected_answer'),
  ),
  ...[7, null, 'at\nnight'].map((createdAt) =>
    row(`says ${JSON.stringify(createdAt)} as a message's \`createdAt\``, { createdAt }, 'unexpected_answer'),
  ),
  ...['encrypted', 'signature', 'messageId', 'role'].map(nested),
  row('removes all content of a message', { encrypted: null, signature: null }),
  row('returns 7 as plain text', { encrypted: null, signature: null, plaintext: 7 }),
  row(
    'returns an empty plain text',
    { encrypted: null, signature: null, plaintext: '' },
    'malformed_message',
  ),
];
