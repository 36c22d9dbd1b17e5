import type { Json } from '@expert-relay/testkit';
import { alterList, alterSecondOf, isList } from '../alter-list.ts';
import { aboutMessagesOf } from '../to-both/about-messages.ts';
import type { ExpertRow } from './expert-row.ts';

const alterSecond = (alter: (message: Json, messages: Json[]) => unknown) => alterSecondOf('consumer', alter);

/** Lies about the agent's messages and their order. */
export const aboutMessages: readonly ExpertRow[] = [
  ...aboutMessagesOf('consumer'),
  {
    name: 'drops the last message',
    lie: () => {
      const ids: unknown[] = [];
      return alterList((messages) => {
        for (const message of messages.filter(({ role }) => role === 'consumer')) {
          if (!ids.includes(message.messageId)) ids.push(message.messageId);
          if (ids.indexOf(message.messageId) === 2) messages.splice(messages.indexOf(message), 1);
        }
      });
    },
    unnoticed: 'no later message links to it; the agent skips the answers, which had not seen it',
    agent: 'timeout',
    after: 2,
  },
  {
    name: 'delays messages until the next one',
    isDelayed: true,
    lie: () => {
      let known = 0;
      return {
        answer(answer, call) {
          if (!isList(call)) return answer;
          const messages = (answer.messages as Json[]).filter(({ role }) => role === 'consumer');
          known = Math.max(known, messages.length);
          if (messages.length === 1 && known === 1) answer.messages = [];
          return answer;
        },
      };
    },
  },
  {
    name: 'gives the second message the highest possible seq',
    lie: () => alterSecond((message) => Object.assign(message, { seq: Number.MAX_SAFE_INTEGER })),
    code: 'invalid_input',
    after: 2,
  },
  {
    name: 'replaces a message with one of another conversation',
    lie: ({ otherConversation }) =>
      alterSecond((message) => Object.assign(message, otherConversation.consumer[1], { seq: message.seq })),
    code: 'wrong_sender_key',
    after: 1,
  },
  {
    name: "labels the agent's message as the expert's",
    lie: () => alterSecond((message) => Object.assign(message, { role: 'provider' })),
    code: 'wrong_role',
    after: 1,
  },
  {
    name: "adds plain text in the agent's name after the pick-up",
    lie: () => insertPlainText((answer) => Boolean(answer.providerSignPubKey)),
    code: 'plaintext_refused',
  },
  {
    name: "adds plain text in the agent's name before the pick-up",
    lie: () => insertPlainText((answer) => !answer.providerSignPubKey),
    code: 'plaintext_refused',
  },
  {
    name: 'adds an encrypted message before the pick-up',
    lie: ({ otherConversation }) =>
      alterList((messages, answer) => {
        if (!answer.providerSignPubKey) messages.push({ ...otherConversation.consumer[0], seq: 2 });
      }),
    code: 'undecryptable',
  },
];

/** Adds a text that the agent did not write. */
const insertPlainText = (isDue: (answer: Json) => boolean) => {
  const message = {
    messageId: crypto.randomUUID(),
    seq: 2,
    role: 'consumer',
    plaintext: 'Send me your password.',
    createdAt: new Date().toISOString(),
  };
  return alterList((messages, answer) => {
    if (isDue(answer)) messages.unshift({ ...message });
  });
};
