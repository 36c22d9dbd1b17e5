import type { Json, Lie } from '@expert-relay/testkit';
import { alterList, isList } from '@expert-relay/testkit/lies';

interface MessageRow {
  readonly name: string;
  readonly lie: () => Lie;
  readonly isDelayed?: boolean;
}

/** Lies about one side's messages that depend on what was listed before. */
export const aboutMessagesOf = (side: 'consumer' | 'provider'): readonly MessageRow[] => [
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
    name: 'delays a message until the next one',
    isDelayed: true,
    lie: () => {
      const ids: unknown[] = [];
      return {
        answer(answer, call) {
          if (!isList(call) || !Array.isArray(answer.messages)) return answer;
          const messages = (answer.messages as Json[]).filter(({ role }) => role === side);
          for (const { messageId } of messages) if (!ids.includes(messageId)) ids.push(messageId);
          if (ids.length === 2) answer.messages = [];
          return answer;
        },
      };
    },
  },
];
