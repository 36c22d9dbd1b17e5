import type { Json } from '@expert-relay/testkit';
import { alterSecond, isList } from '../alter-list.ts';
import { aboutMessagesOf } from '../to-both/about-messages.ts';
import type { AgentRow } from './agent-row.ts';

/** Lies about the expert's messages and their order. */
export const aboutMessages: readonly AgentRow[] = [
  ...aboutMessagesOf('provider'),
  {
    name: 'delays a message until the next one',
    isDelayed: true,
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
    name: 'repeats a message with its messageId in capitals',
    lie: () =>
      alterSecond((message, messages) =>
        messages.push({ ...message, messageId: String(message.messageId).toUpperCase() }),
      ),
  },
  {
    name: 'replaces a message with one of another conversation',
    lie: ({ otherConversation }) =>
      alterSecond((message) => Object.assign(message, otherConversation.provider[1], { seq: message.seq })),
    code: 'wrong_sender_key',
    after: 1,
  },
  {
    name: "labels the expert's message as the agent's",
    lie: () => alterSecond((message) => Object.assign(message, { role: 'consumer' })),
    code: 'wrong_role',
    after: 1,
  },
  {
    name: 'changes the messageId of a message',
    lie: () => {
      const messageId = crypto.randomUUID();
      return alterSecond((message) => Object.assign(message, { messageId }));
    },
    code: 'wrong_signature',
    after: 1,
  },
];
