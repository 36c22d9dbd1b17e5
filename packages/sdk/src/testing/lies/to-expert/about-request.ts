import type { Json, Lie } from '@expert-relay/testkit';
import { cutOff, inList, insteadOfList, isList, nonsense } from '../in-list.ts';
import type { ExpertRow } from './expert-row.ts';

/** What is no value of any of these members. */
const wrong: Readonly<Record<string, readonly unknown[]>> = {
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

const spoiled = (alter: (answer: Json) => unknown): Lie => inList((_, answer) => alter(answer));

/** Lies about the request itself. */
export const aboutRequest: readonly ExpertRow[] = [
  ...Object.entries(wrong).flatMap(([member, values]) =>
    values.map((value) => ({
      name: `says ${JSON.stringify(value)} as \`${member}\``,
      lie: () => spoiled((answer) => Object.assign(answer, { [member]: value })),
      code: 'unexpected_answer',
    })),
  ),
  ...[7, 'all', [7, null, { role: 7 }]].map((context) => ({
    name: `says ${JSON.stringify(context)} as \`context\``,
    lie: () => spoiled((answer) => Object.assign(answer, { context })),
    unnoticed: 'the agent notices that another context was shown',
    agent: 'question_altered',
  })),
  ...[7, {}].map((keySignature) => ({
    name: `says ${JSON.stringify(keySignature)} as \`keySignature\` after the pick-up`,
    lie: () => spoiled((answer) => answer.providerSignPubKey && Object.assign(answer, { keySignature })),
    code: 'unexpected_answer',
  })),
  {
    name: 'shows another question and another context from the first look on',
    lie: () => spoiled((answer) => Object.assign(answer, { question: 'Shall I pay?', context: [] })),
    unnoticed: 'the agent notices that another question was answered',
    agent: 'question_altered',
    question: 'Shall I pay?',
  },
  {
    name: 'shows another question and another context after the pick-up',
    lie: () =>
      spoiled((answer) => {
        if (answer.providerSignPubKey) Object.assign(answer, { question: 'Shall I pay?', context: [] });
      }),
    code: 'question_altered',
  },
  {
    name: 'shows half a character as the question',
    lie: () => spoiled((answer) => Object.assign(answer, { question: '\ud800' })),
    code: 'question_altered',
  },
  ...(['closed', 'expired'] as const).map((status) => ({
    name: `says that it is ${status}`,
    lie: () => spoiled((answer) => Object.assign(answer, { status })),
    code: `conversation_${status}`,
  })),
  {
    name: 'says that it is closed after the first message',
    lie: () =>
      inList((messages, answer) => {
        if (Number(messages[0]?.seq) >= 3) answer.status = 'closed';
      }),
    code: 'conversation_closed',
    after: 1,
  },
  {
    name: 'says that it is open, although the agent has closed it',
    isClosed: true,
    lie: () => spoiled((answer) => Object.assign(answer, { status: 'pending' })),
    code: 'conversation_closed',
  },
  {
    name: 'answers nonsense to the first look',
    lie: () => insteadOfList('once', nonsense),
  },
  {
    name: 'answers nonsense to every look',
    lie: () => insteadOfList('always', nonsense),
    code: 'unexpected_answer',
  },
  {
    name: 'cuts an answer off',
    lie: () => insteadOfList('once', cutOff),
  },
  {
    name: 'shows another conversation under the id of this one',
    lie: ({ requestId, elsewhereId }) => ({
      call(call) {
        if (isList(call)) call.path = call.path.replace(requestId, elsewhereId);
      },
      answer(answer, call) {
        if (isList(call)) answer.requestId = requestId;
        return answer;
      },
    }),
    code: 'keys_changed',
  },
  {
    name: 'shows the same messages without an end',
    lie: () => {
      const all: Json[] = [];
      let seq = 100;
      return inList((messages, answer) => {
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
    name: 'sends the key elsewhere',
    lie: ({ gatewayUrl }) => ({
      instead: (call) => (isList(call) ? { status: 302, headers: { location: gatewayUrl } } : undefined),
    }),
    code: 'unreachable',
  },
];
