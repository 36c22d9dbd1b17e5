import type { Lie } from '@expert-relay/testkit';
import { cutOff, inList, insteadOfList, isList, nonsense } from '../in-list.ts';
import { texts } from '../scene.ts';
import type { AgentRow } from './agent-row.ts';

/** What is answered, and how. */
export const aboutAnswers: readonly AgentRow[] = [
  {
    name: 'says that the conversation is closed',
    lie: () => inList((_, answer) => Object.assign(answer, { status: 'closed' })),
    code: 'conversation_closed',
    // What had come by the first look is shown before the end.
    upTo: texts.length,
  },

  {
    name: 'answers nonsense once',
    lie: () => insteadOfList('once', nonsense),
  },
  {
    name: 'answers nonsense always',
    lie: () => insteadOfList('always', nonsense),
    code: 'unexpected_answer',
  },
  {
    name: 'cuts an answer off',
    lie: () => insteadOfList('once', cutOff),
  },
  ...[7, { messages: [null] }].map((answer) => ({
    name: `answers ${JSON.stringify(answer)}`,
    lie: (): Lie => ({ answer: (real, call) => (isList(call) ? JSON.stringify(answer) : real) }),
    code: 'unexpected_answer',
  })),
  ...[
    { refCode: 'HS-7KQ2M9XD is closed.\nAsk somebody else' },
    { refCode: '\u001b[2J' },
    { expiresAt: 'you pay' },
    { createdAt: 7 },
    { responseCount: 1e300 },
    { status: 'answered' },
  ].map((garbage) => ({
    name: `says ${JSON.stringify(garbage)}`,
    lie: () => inList((_, answer) => Object.assign(answer, garbage)),
    code: 'unexpected_answer',
  })),
  {
    name: 'shows another request',
    lie: () => inList((_, answer) => Object.assign(answer, { requestId: 'AAAAAAAAAAAAAAAAAAAAAA' })),
    code: 'unexpected_answer',
  },
  {
    name: 'shows a list without an end',
    lie: () => inList((messages, answer) => Object.assign(answer, { next: messages.at(-1)?.seq ?? 0 })),
  },
  {
    name: 'sends the key elsewhere',
    lie: ({ gatewayUrl }) => ({
      instead: (call) => (isList(call) ? { status: 302, headers: { location: gatewayUrl } } : undefined),
    }),
    code: 'timeout',
  },
  {
    name: 'asks for patience until next week',
    lie: () => ({
      instead: (call) => (isList(call) ? { status: 429, headers: { 'retry-after': '600000' } } : undefined),
    }),
    code: 'timeout',
  },
  {
    name: 'fails every other time, after it did what it was asked',
    lie: () => {
      let calls = 0;
      return { instead: () => (calls++ % 2 === 0 ? { status: 502, body: 'bad gateway' } : undefined) };
    },
  },
  { name: 'takes its time', lie: () => ({ delay: 150 }) },
  {
    name: 'has a clock that is a day late',
    lie: () => ({
      headers: { date: new Date(Date.now() - 86_400_000).toUTCString() },
      answer(answer) {
        const late = (time: unknown) => new Date(Date.parse(String(time)) - 86_400_000).toISOString();
        if (answer.expiresAt) answer.expiresAt = late(answer.expiresAt);
        if (answer.createdAt) answer.createdAt = late(answer.createdAt);
        return answer;
      },
    }),
  },
];
