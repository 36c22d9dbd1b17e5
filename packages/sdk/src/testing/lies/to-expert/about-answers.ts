import type { Call, Json, Lie } from '@expert-relay/testkit';
import { aboutSecondOf, blobOf, flip, inList, isFirst } from '../in-list.ts';
import type { ExpertRow } from './expert-row.ts';

const isAnswer = ({ path, method }: Call) => method === 'POST' && path.startsWith('/api/v1/message/');
const taken = { status: 201, body: {} };

/** Lies about what becomes of the expert's answers. All three messages of the agent came before. */
export const aboutAnswers: readonly ExpertRow[] = [
  {
    name: 'takes an answer, and forgets it',
    lie: () => {
      const first = isFirst();
      return { swallow: (call) => (isAnswer(call) && first() ? taken : undefined) };
    },
    code: 'message_missing',
    after: 3,
    agent: 'message_missing',
  },
  {
    name: 'takes every answer, and forgets it',
    lie: () => ({ swallow: (call) => (isAnswer(call) ? taken : undefined) }),
    unnoticed: 'nothing follows them; the agent waits',
    agent: 'timeout',
    after: 3,
  },
  {
    name: "does not show the expert's first answer",
    lie: () => {
      let first: unknown;
      return inList((messages) => {
        first ??= messages.find(({ role }) => role === 'provider')?.messageId;
        const at = messages.findIndex(({ messageId }) => messageId === first);
        if (at >= 0) messages.splice(at, 1);
      });
    },
    code: 'message_missing',
    after: 3,
    agent: '',
  },
  {
    name: "alters the expert's answer on its way",
    lie: () => ({
      call(call) {
        if (isAnswer(call)) Object.assign(blobOf(call.body), { tag: flip(blobOf(call.body).tag) });
      },
    }),
    code: 'wrong_signature',
    after: 3,
    agent: 'wrong_signature',
  },
  {
    name: "alters the expert's answer for the agent alone",
    lie: () => {
      const own = new Map<unknown, unknown>();
      return {
        ...inList((messages) => {
          for (const message of messages) {
            const tag = own.get(message.messageId);
            if (tag) blobOf(message).tag = tag;
          }
        }),
        call(call) {
          if (!isAnswer(call)) return;
          own.set(call.body.messageId, blobOf(call.body).tag);
          blobOf(call.body).tag = flip(blobOf(call.body).tag);
        },
      };
    },
    unnoticed: 'the agent sees it',
    agent: 'wrong_signature',
    after: 3,
  },
  {
    name: "shows the expert's answer as the agent's",
    lie: () => aboutSecondOf('provider', (message) => Object.assign(message, { role: 'consumer' })),
    code: 'wrong_role',
    after: 3,
    agent: '',
  },
  {
    name: 'answers nonsense to the first answer',
    lie: () => {
      const first = isFirst();
      return { answer: (answer, call) => (isAnswer(call) && first() ? '<html>Welcome!</html>' : answer) };
    },
  },
  {
    name: 'answers nonsense to every answer',
    lie: () => ({ answer: (answer, call) => (isAnswer(call) ? '<html>Welcome!</html>' : answer) }),
    code: 'unexpected_answer',
    after: 3,
    agent: 'timeout',
  },
  ...(['closed', 'expired'] as const).map((end) => ({
    name: `says to every answer that the conversation is ${end}`,
    lie: (): Lie => ({
      swallow: (call) =>
        isAnswer(call) ? { status: 409, body: { error: `conversation_${end}` } as Json } : undefined,
    }),
    code: `conversation_${end}`,
    after: 3,
    agent: 'timeout',
  })),
  {
    name: 'fails every other time, after it did what it was asked',
    lie: () => {
      let calls = 0;
      return { instead: () => (calls++ % 2 === 0 ? { status: 502, body: 'bad gateway' } : undefined) };
    },
  },
  { name: 'takes its time', lie: () => ({ delay: 100 }) },
];
