import type { Json } from '@expert-relay/testkit';
import { blobOf, flip } from '../blob.ts';
import { inList, isList } from '../in-list.ts';
import { aboutSecond } from './about-second.ts';
import type { AgentRow } from './agent-row.ts';

/** Lies about which messages there are, and in which order. */
export const aboutMessages: readonly AgentRow[] = [
  {
    name: 'drops a message',
    lie: () => aboutSecond((message, messages) => messages.splice(messages.indexOf(message), 1)),
    code: 'message_missing',
    after: 1,
  },
  {
    name: 'holds a message back until the next',
    lie: () => {
      const ids: unknown[] = [];
      return {
        answer(answer, call) {
          if (!isList(call)) return answer;
          const messages = (answer.messages as Json[]).filter(({ role }) => role === 'provider');
          for (const { messageId } of messages) if (!ids.includes(messageId)) ids.push(messageId);
          if (ids.length === 2) answer.messages = [];
          return answer;
        },
      };
    },
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
  {
    name: 'shows a message once more with its messageId in capitals',
    lie: () =>
      aboutSecond((message, messages) =>
        messages.push({ ...message, messageId: String(message.messageId).toUpperCase() }),
      ),
  },
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
    name: 'replays a message of another conversation',
    lie: ({ elsewhere }) =>
      aboutSecond((message) => Object.assign(message, elsewhere.provider[1], { seq: message.seq })),
    code: 'wrong_sender_key',
    after: 1,
  },
  {
    name: "shows the expert's message as the agent's",
    lie: () => aboutSecond((message) => Object.assign(message, { role: 'consumer' })),
    code: 'wrong_role',
    after: 1,
  },
  {
    name: 'gives a message another messageId',
    lie: () => {
      const messageId = crypto.randomUUID();
      return aboutSecond((message) => Object.assign(message, { messageId }));
    },
    code: 'wrong_signature',
    after: 1,
  },
];
