import type { Call, Json, Lie } from '@expert-relay/testkit';
import { alterList, blobOf, failEverySecondCall, flipBit, trueOnce } from '@expert-relay/testkit/lies';
import type { ExpertRow } from './expert-row.ts';

const isAnswer = ({ path, method }: Call) => method === 'POST' && path.startsWith('/api/v1/message/');
const accepted = { status: 201, body: {} };

/** Lies about the expert's answers. The three messages of the agent arrive before. */
export const aboutAnswers: readonly ExpertRow[] = [
  {
    name: 'accepts an answer, and loses it',
    lie: () => {
      const first = trueOnce();
      return { swallow: (call) => (isAnswer(call) && first() ? accepted : undefined) };
    },
    error: { code: 'untrusted', reason: 'message_missing' },
    after: 3,
    agent: { code: 'untrusted', reason: 'message_missing' },
  },
  {
    name: 'accepts every answer, and loses it',
    lie: () => ({ swallow: (call) => (isAnswer(call) ? accepted : undefined) }),
    unnoticed: 'no later message links to them; the agent waits',
    agent: { code: 'timeout' },
    after: 3,
  },
  {
    name: "changes the expert's answer for both sides",
    lie: () => ({
      call(call) {
        if (isAnswer(call)) Object.assign(blobOf(call.body), { tag: flipBit(blobOf(call.body).tag) });
      },
    }),
    error: { code: 'untrusted', reason: 'wrong_signature' },
    after: 3,
    agent: { code: 'untrusted', reason: 'wrong_signature' },
  },
  {
    name: "changes the expert's answer for the agent only",
    lie: () => {
      const own = new Map<unknown, unknown>();
      return {
        ...alterList((messages) => {
          for (const message of messages) {
            const tag = own.get(message.messageId);
            if (tag) blobOf(message).tag = tag;
          }
        }),
        call(call) {
          if (!isAnswer(call)) return;
          own.set(call.body.messageId, blobOf(call.body).tag);
          blobOf(call.body).tag = flipBit(blobOf(call.body).tag);
        },
      };
    },
    unnoticed: 'the agent notices it',
    agent: { code: 'untrusted', reason: 'wrong_signature' },
    after: 3,
  },
  {
    name: 'returns HTML to the first answer',
    lie: () => {
      const first = trueOnce();
      return { answer: (answer, call) => (isAnswer(call) && first() ? '<html>Welcome!</html>' : answer) };
    },
  },
  {
    name: 'returns HTML to every answer',
    lie: () => ({ answer: (answer, call) => (isAnswer(call) ? '<html>Welcome!</html>' : answer) }),
    error: { code: 'unavailable', reason: 'unexpected_answer' },
    after: 3,
    agent: { code: 'timeout' },
  },
  ...(['closed', 'expired'] as const).map((end) => ({
    name: `refuses every answer, since the conversation is ${end}`,
    lie: (): Lie => ({
      swallow: (call) =>
        isAnswer(call) ? { status: 409, body: { error: `conversation_${end}` } as Json } : undefined,
    }),
    error: { code: end },
    after: 3,
    agent: { code: 'timeout' },
  })),
  {
    name: 'does what every call asks, and fails every second one',
    lie: failEverySecondCall,
  },
  { name: 'answers slowly', lie: () => ({ delay: 100 }) },
];
