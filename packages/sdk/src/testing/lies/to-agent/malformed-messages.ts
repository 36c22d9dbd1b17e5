import { aboutSecond, blobOf, noise } from '../in-list.ts';
import type { AgentRow } from './agent-row.ts';

/** Messages that are none. */
export const malformedMessages: readonly AgentRow[] = [
  ...(['iv', 'ciphertext', 'tag', 'ephemeralPublicKey'] as const).flatMap((member) =>
    [null, noise(7).repeat(2)].map((garbage) => ({
      name: `says ${JSON.stringify(garbage).slice(0, 12)} as \`${member}\``,
      lie: () => aboutSecond((message) => Object.assign(blobOf(message), { [member]: garbage })),
      code: 'malformed_message',
      after: 1,
    })),
  ),
  ...[42, noise(63)].map((signature) => ({
    name: `says ${JSON.stringify(signature).slice(0, 12)} as \`signature\``,
    lie: () => aboutSecond((message) => Object.assign(message, { signature })),
    code: 'malformed_message',
    after: 1,
  })),
  ...[42, [[]]].map((encrypted) => ({
    name: `says ${JSON.stringify(encrypted)} as \`encrypted\``,
    lie: () => aboutSecond((message) => Object.assign(message, { encrypted })),
    code: 'malformed_message',
    after: 1,
  })),
  ...[{ messageId: 7 }, { messageId: 'x' }, { role: 'operator' }].map((garbage) => ({
    name: `says ${JSON.stringify(garbage)}`,
    lie: () => aboutSecond((message) => Object.assign(message, garbage)),
    code: 'malformed_message',
    after: 1,
  })),
  {
    name: 'takes all content from a message',
    lie: () =>
      aboutSecond((message) => {
        delete message.encrypted;
        delete message.signature;
      }),
    code: 'malformed_message',
    after: 1,
  },
];
