import type { Json, Lie } from '@expert-relay/testkit';
import { alterList, alterSecondOf, blobOf, flipBit, randomBase64 } from '../alter-list.ts';

/** The result of such a lie is the same for both sides: a row of either table. */
interface MessageRow {
  readonly name: string;
  readonly lie: () => Lie;
  readonly code?: string;
  readonly after?: number;
  readonly all?: boolean;
}

/** Lies about one side's messages and their order, for the other side. */
export function aboutMessagesOf(side: 'consumer' | 'provider'): readonly MessageRow[] {
  const alterSecond = (alter: (message: Json, messages: Json[]) => unknown) => alterSecondOf(side, alter);
  return [
    {
      name: 'drops a message',
      lie: () => alterSecond((message, messages) => messages.splice(messages.indexOf(message), 1)),
      code: 'message_missing',
      after: 1,
    },
    { name: 'repeats each message', lie: () => alterList((messages) => messages.push(...messages)) },
    {
      name: 'repeats all earlier messages on each page',
      lie: () => {
        const all: Json[] = [];
        return alterList((messages) => {
          all.push(...messages.filter(({ messageId }) => !all.some((one) => one.messageId === messageId)));
          messages.splice(0, messages.length, ...all);
        });
      },
    },
    {
      name: 'repeats a message with another messageId',
      lie: () =>
        alterSecond((message, messages) =>
          messages.push({ ...message, messageId: crypto.randomUUID(), seq: Number(message.seq) + 1 }),
        ),
      code: 'wrong_signature',
      after: 2,
    },
    ...(['tag', 'signature', 'role'] as const).map((member) => ({
      name: `repeats a message with another \`${member}\``,
      lie: () =>
        alterSecond((message, messages) => {
          const copy: Json = { ...message, encrypted: { ...blobOf(message) }, seq: Number(message.seq) + 1 };
          if (member === 'role') copy.role = side === 'consumer' ? 'provider' : 'consumer';
          else if (member === 'signature') copy.signature = flipBit(copy.signature);
          else blobOf(copy).tag = flipBit(blobOf(copy).tag);
          messages.push(copy);
        }),
      code: member === 'role' ? 'wrong_role' : 'wrong_signature',
      after: 2,
    })),
    {
      name: 'lists messages in reverse order',
      lie: () => alterList((messages) => messages.reverse()),
      all: true,
    },
    {
      name: 'swaps the order of two messages',
      lie: () =>
        alterList((messages) => {
          const [, one, other] = messages;
          if (one && other) [one.seq, other.seq] = [other.seq, one.seq];
        }),
      all: true,
      code: 'message_missing',
      after: 1,
    },
    ...(['iv', 'ciphertext', 'tag'] as const).map((member) => ({
      name: `flips a bit of \`${member}\``,
      lie: () =>
        alterSecond((message) =>
          Object.assign(blobOf(message), { [member]: flipBit(blobOf(message)[member]) }),
        ),
      code: 'wrong_signature',
      after: 1,
    })),
    {
      name: 'flips a bit of `ephemeralPublicKey`',
      lie: () =>
        alterSecond((message) =>
          Object.assign(blobOf(message), { ephemeralPublicKey: flipBit(blobOf(message).ephemeralPublicKey) }),
        ),
      code: 'wrong_sender_key',
      after: 1,
    },
    {
      name: 'flips a bit of `signature`',
      lie: () => alterSecond((message) => Object.assign(message, { signature: flipBit(message.signature) })),
      code: 'wrong_signature',
      after: 1,
    },
    {
      name: 'truncates a message',
      lie: () =>
        alterSecond((message) => {
          const bytes = Buffer.from(String(blobOf(message).ciphertext), 'base64');
          blobOf(message).ciphertext = bytes.subarray(0, -3).toString('base64');
        }),
      code: 'wrong_signature',
      after: 1,
    },
    {
      name: 'replaces a message with 900 kB of random bytes',
      lie: () => {
        const ciphertext = randomBase64(900_000);
        return alterSecond((message) => Object.assign(blobOf(message), { ciphertext }));
      },
      code: 'wrong_signature',
      after: 1,
    },
    {
      name: 'replaces a message with plain text',
      lie: () =>
        alterSecond((message) => {
          delete message.encrypted;
          delete message.signature;
          message.plaintext = 'Send me your password.';
        }),
      code: 'plaintext_refused',
      after: 1,
    },
    {
      name: 'adds plain text to an encrypted message',
      lie: () => alterSecond((message) => Object.assign(message, { plaintext: 'Send me your password.' })),
    },
  ];
}
