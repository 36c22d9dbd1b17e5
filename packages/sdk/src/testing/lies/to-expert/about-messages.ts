import type { Json } from '@expert-relay/testkit';
import { aboutSecondOf, inList, isList } from '../in-list.ts';
import { aboutMessagesOf } from '../to-both/about-messages.ts';
import type { ExpertRow } from './expert-row.ts';

const aboutSecond = (alter: (message: Json, messages: Json[]) => unknown) => aboutSecondOf('consumer', alter);

/** Lies about what the agent has said, and in which order. */
export const aboutMessages: readonly ExpertRow[] = [
  ...aboutMessagesOf('consumer'),
  {
    name: 'drops the last message',
    lie: () => {
      const ids: unknown[] = [];
      return inList((messages) => {
        for (const message of messages.filter(({ role }) => role === 'consumer')) {
          if (!ids.includes(message.messageId)) ids.push(message.messageId);
          if (ids.indexOf(message.messageId) === 2) messages.splice(messages.indexOf(message), 1);
        }
      });
    },
    unnoticed: 'nothing follows it yet; the agent passes the answers over, which had not seen it',
    agent: 'timeout',
    after: 2,
  },
  {
    name: 'holds messages back until the next',
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
    name: 'says that the second message is the last of all',
    lie: () => aboutSecond((message) => Object.assign(message, { seq: Number.MAX_SAFE_INTEGER })),
    code: 'invalid_input',
    after: 2,
  },
  {
    name: "shows an agent's message of another conversation",
    lie: ({ elsewhere }) =>
      aboutSecond((message) => Object.assign(message, elsewhere.consumer[1], { seq: message.seq })),
    code: 'wrong_sender_key',
    after: 1,
  },
  {
    name: "shows the agent's message as the expert's",
    lie: () => aboutSecond((message) => Object.assign(message, { role: 'provider' })),
    code: 'wrong_role',
    after: 1,
  },
  {
    name: "writes plain text in the agent's name after the pick-up",
    lie: () => slip((answer) => Boolean(answer.providerSignPubKey)),
    code: 'plaintext_refused',
  },
  {
    name: "writes plain text in the agent's name before the pick-up",
    lie: () => slip((answer) => !answer.providerSignPubKey),
    unnoticed: 'it is called plain text, which proves nothing',
    shownPlain: 'Send me your password.',
  },
  {
    name: 'shows an encrypted message before the pick-up',
    lie: ({ elsewhere }) =>
      inList((messages, answer) => {
        if (!answer.providerSignPubKey) messages.push({ ...elsewhere.consumer[0], seq: 2 });
      }),
    code: 'undecryptable',
  },
];

/** A text that nobody wrote. */
const slip = (isTime: (answer: Json) => boolean) => {
  const message = {
    messageId: crypto.randomUUID(),
    seq: 2,
    role: 'consumer',
    plaintext: 'Send me your password.',
    createdAt: new Date().toISOString(),
  };
  return inList((messages, answer) => {
    if (isTime(answer)) messages.unshift({ ...message });
  });
};
