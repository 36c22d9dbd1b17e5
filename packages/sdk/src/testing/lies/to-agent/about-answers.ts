import type { Lie } from '@expert-relay/testkit';
import {
  alterList,
  failEverySecondCall,
  htmlAnswer,
  isList,
  replaceList,
  truncated,
} from '@expert-relay/testkit/lies';
import type { AgentRow } from './agent-row.ts';

/** Invalid answers of the gateway. */
export const aboutAnswers: readonly AgentRow[] = [
  {
    name: 'returns HTML once',
    lie: () => replaceList('once', htmlAnswer),
  },
  {
    name: 'returns HTML always',
    lie: () => replaceList('always', htmlAnswer),
    error: { code: 'unavailable', reason: 'unexpected_answer' },
  },
  {
    name: 'truncates an answer',
    lie: () => replaceList('once', truncated),
  },
  ...[7, { messages: [null] }].map((answer) => ({
    name: `returns ${JSON.stringify(answer)}`,
    lie: (): Lie => ({ answer: (real, call) => (isList(call) ? JSON.stringify(answer) : real) }),
    error: { code: 'unavailable', reason: 'unexpected_answer' },
  })),
  {
    name: 'returns a list without an end',
    lie: () => alterList((messages, answer) => Object.assign(answer, { next: messages.at(-1)?.seq ?? 0 })),
  },
  {
    name: 'redirects a call to another address',
    lie: ({ gatewayUrl }) => ({
      instead: (call) => (isList(call) ? { status: 302, headers: { location: gatewayUrl } } : undefined),
    }),
    error: { code: 'timeout' },
  },
  {
    name: 'asks for a wait of a week',
    lie: () => ({
      instead: (call) => (isList(call) ? { status: 429, headers: { 'retry-after': '600000' } } : undefined),
    }),
    error: { code: 'timeout' },
  },
  {
    name: 'does what every call asks, and fails every second one',
    lie: failEverySecondCall,
  },
  { name: 'answers slowly', lie: () => ({ delay: 150 }) },
  {
    name: 'has a clock that is a day behind',
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
