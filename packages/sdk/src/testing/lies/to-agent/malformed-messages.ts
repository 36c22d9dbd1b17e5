import { alterSecond, blobOf, randomBase64 } from '../alter-list.ts';
import type { AgentRow } from './agent-row.ts';

/** Malformed messages of the expert. */
export const malformedMessages: readonly AgentRow[] = [
  ...(['iv', 'ciphertext', 'tag', 'ephemeralPublicKey'] as const).flatMap((member) =>
    [null, randomBase64(7).repeat(2)].map((garbage) => ({
      name: `returns ${JSON.stringify(garbage).slice(0, 12)} as \`${member}\``,
      lie: () => alterSecond((message) => Object.assign(blobOf(message), { [member]: garbage })),
      code: 'malformed_message',
      after: 1,
    })),
  ),
  ...[42, randomBase64(63)].map((signature) => ({
    name: `returns ${JSON.stringify(signature).slice(0, 12)} as \`signature\``,
    lie: () => alterSecond((message) => Object.assign(message, { signature })),
    code: 'malformed_message',
    after: 1,
  })),
  ...[42, [[]]].map((encrypted) => ({
    name: `returns ${JSON.stringify(encrypted)} as \`encrypted\``,
    lie: () => alterSecond((message) => Object.assign(message, { encrypted })),
    code: 'malformed_message',
    after: 1,
  })),
  ...[{ messageId: 7 }, { messageId: 'x' }, { role: 'operator' }].map((garbage) => ({
    name: `returns ${JSON.stringify(garbage)}`,
    lie: () => alterSecond((message) => Object.assign(message, garbage)),
    code: 'malformed_message',
    after: 1,
  })),
  {
    name: 'removes all content of a message',
    lie: () =>
      alterSecond((message) => {
        delete message.encrypted;
        delete message.signature;
      }),
    code: 'malformed_message',
    after: 1,
  },
];
