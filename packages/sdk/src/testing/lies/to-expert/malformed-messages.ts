import { aboutSecondOf, blobOf, noise } from '../in-list.ts';
import type { ExpertRow } from './expert-row.ts';

/** Lists in lists, far deeper than a recursion may go. Nothing of it survives being written by JSON.stringify. */
function nested(member: string): ExpertRow {
  const mark = '(nested)';
  const { answer } = aboutSecondOf('consumer', (message) => Object.assign(message, { [member]: mark }));
  const deep = '['.repeat(20_000) + ']'.repeat(20_000);
  return {
    name: `says lists in lists in lists as \`${member}\``,
    lie: () => ({
      answer: (real, call) => JSON.stringify(answer?.(real, call)).replaceAll(`"${mark}"`, deep),
    }),
    code: 'malformed_message',
    after: 1,
  };
}

const row = (name: string, garbage: object, code = 'malformed_message'): ExpertRow => ({
  name,
  lie: () => aboutSecondOf('consumer', (message) => Object.assign(message, garbage)),
  code,
  after: 1,
});

/** Messages of the agent's that are none. */
export const malformedMessages: readonly ExpertRow[] = [
  ...(['iv', 'ciphertext', 'tag', 'ephemeralPublicKey'] as const).flatMap((member) =>
    [null, 7, noise(7).repeat(2)].map((garbage) => ({
      name: `says ${JSON.stringify(garbage).slice(0, 12)} as \`${member}\``,
      lie: () =>
        aboutSecondOf('consumer', (message) => Object.assign(blobOf(message), { [member]: garbage })),
      code: 'malformed_message',
      after: 1,
    })),
  ),
  ...[42, noise(63)].map((signature) =>
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
  row('takes all content from a message', { encrypted: null, signature: null }),
  row('says 7 as plain text', { encrypted: null, signature: null, plaintext: 7 }),
  row('writes an empty plain text', { encrypted: null, signature: null, plaintext: '' }, 'plaintext_refused'),
];
