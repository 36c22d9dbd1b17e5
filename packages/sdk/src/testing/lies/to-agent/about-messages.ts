import type { Json } from '@expert-relay/testkit';
import { aboutSecond, isList } from '../in-list.ts';
import { aboutMessagesOf } from '../to-both/about-messages.ts';
import type { AgentRow } from './agent-row.ts';

/** Lies about which messages there are, and in which order. */
export const aboutMessages: readonly AgentRow[] = [
  ...aboutMessagesOf('provider'),
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
  {
    name: 'shows a message once more with its messageId in capitals',
    lie: () =>
      aboutSecond((message, messages) =>
        messages.push({ ...message, messageId: String(message.messageId).toUpperCase() }),
      ),
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
