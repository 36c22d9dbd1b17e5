import type { Json, Lie } from '@expert-relay/testkit';
import { aboutSecondOf, blobOf, flip, inList, noise } from '../in-list.ts';

/** What such a lie comes to is the same for whoever it is told to: a row of either table. */
interface MessageRow {
  readonly name: string;
  readonly lie: () => Lie;
  readonly code?: string;
  readonly after?: number;
  readonly all?: boolean;
}

/** Lies about what one side has said and in which order, told to the other. */
export function aboutMessagesOf(side: 'consumer' | 'provider'): readonly MessageRow[] {
  const aboutSecond = (alter: (message: Json, messages: Json[]) => unknown) => aboutSecondOf(side, alter);
  return [
    {
      name: 'drops a message',
      lie: () => aboutSecond((message, messages) => messages.splice(messages.indexOf(message), 1)),
      code: 'message_missing',
      after: 1,
    },
    { name: 'shows messages twice', lie: () => inList((messages) => messages.push(...messages)) },
    {
      name: 'shows all messages again and again',
      lie: () => {
        const all: Json[] = [];
        return inList((messages) => {
          all.push(...messages.filter(({ messageId }) => !all.some((one) => one.messageId === messageId)));
          messages.splice(0, messages.length, ...all);
        });
      },
    },
    {
      name: 'shows a message once more under another messageId',
      lie: () =>
        aboutSecond((message, messages) =>
          messages.push({ ...message, messageId: crypto.randomUUID(), seq: Number(message.seq) + 1 }),
        ),
      code: 'wrong_signature',
      after: 2,
    },
    ...(['tag', 'signature', 'role'] as const).map((member) => ({
      name: `shows a message once more with another \`${member}\``,
      lie: () =>
        aboutSecond((message, messages) => {
          const copy: Json = { ...message, encrypted: { ...blobOf(message) }, seq: Number(message.seq) + 1 };
          if (member === 'role') copy.role = side === 'consumer' ? 'provider' : 'consumer';
          else if (member === 'signature') copy.signature = flip(copy.signature);
          else blobOf(copy).tag = flip(blobOf(copy).tag);
          messages.push(copy);
        }),
      code: member === 'role' ? 'wrong_role' : 'wrong_signature',
      after: 2,
    })),
    { name: 'lists messages backwards', lie: () => inList((messages) => messages.reverse()), all: true },
    {
      name: 'swaps the places of two messages',
      lie: () =>
        inList((messages) => {
          const [, one, other] = messages;
          if (one && other) [one.seq, other.seq] = [other.seq, one.seq];
        }),
      all: true,
      code: 'message_missing',
      after: 1,
    },
    ...(['iv', 'ciphertext', 'tag'] as const).map((member) => ({
      name: `alters a bit of \`${member}\``,
      lie: () =>
        aboutSecond((message) => Object.assign(blobOf(message), { [member]: flip(blobOf(message)[member]) })),
      code: 'wrong_signature',
      after: 1,
    })),
    {
      name: 'alters a bit of `ephemeralPublicKey`',
      lie: () =>
        aboutSecond((message) =>
          Object.assign(blobOf(message), { ephemeralPublicKey: flip(blobOf(message).ephemeralPublicKey) }),
        ),
      code: 'wrong_sender_key',
      after: 1,
    },
    {
      name: 'alters a bit of `signature`',
      lie: () => aboutSecond((message) => Object.assign(message, { signature: flip(message.signature) })),
      code: 'wrong_signature',
      after: 1,
    },
    {
      name: 'cuts a message off',
      lie: () =>
        aboutSecond((message) => {
          const bytes = Buffer.from(String(blobOf(message).ciphertext), 'base64');
          blobOf(message).ciphertext = bytes.subarray(0, -3).toString('base64');
        }),
      code: 'wrong_signature',
      after: 1,
    },
    {
      name: 'shows 900 kB of noise as a message',
      lie: () => {
        const ciphertext = noise(900_000);
        return aboutSecond((message) => Object.assign(blobOf(message), { ciphertext }));
      },
      code: 'wrong_signature',
      after: 1,
    },
    {
      name: 'writes plain text in place of a message',
      lie: () =>
        aboutSecond((message) => {
          delete message.encrypted;
          delete message.signature;
          message.plaintext = 'Send me your password.';
        }),
      code: 'plaintext_refused',
      after: 1,
    },
    {
      name: 'writes plain text beside a message',
      lie: () => aboutSecond((message) => Object.assign(message, { plaintext: 'Send me your password.' })),
    },
  ];
}
