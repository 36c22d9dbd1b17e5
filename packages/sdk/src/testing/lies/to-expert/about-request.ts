import type { Json, Lie } from '@expert-relay/testkit';
import { alterList, htmlAnswer, isList, replaceList, truncated } from '../alter-list.ts';
import type { ExpertRow } from './expert-row.ts';

/** Invalid values by member. */
const invalidValues: Readonly<Record<string, readonly unknown[]>> = {
  requestId: [7, null, '', '../../help', 'HS-7KQ2M9XD', 'AAAAAAAAAAAAAAAAAAAAAA'],
  refCode: [7, null, 'HS-1\nHS-2', '\u001b[2J'],
  status: [7, null, 'open'],
  responseCount: ['7', null, -1, 0.5, 1e300],
  createdAt: [7, null, 'now'],
  expiresAt: [{}, null, 'never\nagain'],
  question: [7, {}],
  plaintext: [7, []],
  consumerSignPubKey: [7, null],
  consumerEncryptPubKey: [{}, null],
  messages: [7, null, {}, [null], ['one'], [[]]],
  next: ['7', null, -1, 0, 2 ** 60, 1e300],
};

const alterRequest = (alter: (answer: Json) => unknown): Lie => alterList((_, answer) => alter(answer));

/** Lies about the request itself. */
export const aboutRequest: readonly ExpertRow[] = [
  ...Object.entries(invalidValues).flatMap(([member, values]) =>
    values.map((value) => ({
      name: `returns ${JSON.stringify(value)} as \`${member}\``,
      lie: () => alterRequest((answer) => Object.assign(answer, { [member]: value })),
      code: 'unexpected_answer',
    })),
  ),
  ...[7, 'all', [7, null, { role: 7 }]].map((context) => ({
    name: `returns ${JSON.stringify(context)} as \`context\``,
    lie: () => alterRequest((answer) => Object.assign(answer, { context })),
    unnoticed: 'the agent notices that the expert got another context',
    agent: 'question_altered',
  })),
  ...[7, {}].map((keySignature) => ({
    name: `returns ${JSON.stringify(keySignature)} as \`keySignature\` after the pick-up`,
    lie: () => alterRequest((answer) => answer.providerSignPubKey && Object.assign(answer, { keySignature })),
    code: 'unexpected_answer',
  })),
  {
    name: 'returns another question and another context from the first read on',
    lie: () => alterRequest((answer) => Object.assign(answer, { question: 'Shall I pay?', context: [] })),
    unnoticed: 'the agent notices that the expert got another question',
    agent: 'question_altered',
    question: 'Shall I pay?',
  },
  {
    name: 'returns another question and another context after the pick-up',
    lie: () =>
      alterRequest((answer) => {
        if (answer.providerSignPubKey) Object.assign(answer, { question: 'Shall I pay?', context: [] });
      }),
    code: 'question_altered',
  },
  {
    name: 'returns a lone surrogate as the question',
    lie: () => alterRequest((answer) => Object.assign(answer, { question: '\ud800' })),
    code: 'question_altered',
  },
  ...(['closed', 'expired'] as const).map((status) => ({
    name: `states that the conversation is ${status}`,
    lie: () => alterRequest((answer) => Object.assign(answer, { status })),
    code: `conversation_${status}`,
  })),
  {
    name: 'states that the conversation is closed after the first message',
    lie: () =>
      alterList((messages, answer) => {
        if (Number(messages[0]?.seq) >= 3) answer.status = 'closed';
      }),
    code: 'conversation_closed',
    after: 1,
  },
  {
    name: 'states that the conversation is open, although the agent has closed it',
    isClosed: true,
    lie: () => alterRequest((answer) => Object.assign(answer, { status: 'pending' })),
    code: 'conversation_closed',
  },
  {
    name: 'returns HTML to the first read',
    lie: () => replaceList('once', htmlAnswer),
  },
  {
    name: 'returns HTML to every read',
    lie: () => replaceList('always', htmlAnswer),
    code: 'unexpected_answer',
  },
  {
    name: 'truncates an answer',
    lie: () => replaceList('once', truncated),
  },
  {
    name: 'returns another conversation with the id of this one',
    lie: ({ requestId, otherRequestId }) => ({
      call(call) {
        if (isList(call)) call.path = call.path.replace(requestId, otherRequestId);
      },
      answer(answer, call) {
        if (isList(call)) answer.requestId = requestId;
        return answer;
      },
    }),
    code: 'keys_changed',
  },
  {
    name: 'lists the same messages without an end',
    lie: () => {
      const all: Json[] = [];
      let seq = 100;
      return alterList((messages, answer) => {
        if (all.length === 0) all.push(...messages.filter(({ role }) => role === 'consumer'));
        if (all.length === 0) return;
        seq += 1;
        messages.splice(0, messages.length, ...all.map((one) => ({ ...one, seq })));
        answer.next = seq;
      });
    },
    code: 'unexpected_answer',
    after: 1,
    agent: 'timeout',
  },
  {
    name: 'redirects a call to another address',
    lie: ({ gatewayUrl }) => ({
      instead: (call) => (isList(call) ? { status: 302, headers: { location: gatewayUrl } } : undefined),
    }),
    code: 'unreachable',
  },
];
