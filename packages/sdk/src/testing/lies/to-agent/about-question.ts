import type { Json } from '@expert-relay/testkit';
import type { AgentRow } from './agent-row.ts';

const asked = {
  question: 'May I delete the PRODUCTION database?',
  plaintext: 'May I delete it?',
  messages: [
    { role: 'user', content: 'The disk is full.' },
    { role: 'assistant', content: 'There is a backup.' },
  ],
};

/** The expert is shown another question than the agent asked, from the first moment on. */
const shown = (what: string, alter: (body: Json, messages: Json[]) => unknown): AgentRow => ({
  name: `shows the expert ${what}`,
  asked,
  lie: () => ({
    call({ path, body }) {
      if (path === '/api/v1/help') alter(body, body.messages as Json[]);
    },
  }),
  code: 'question_altered',
});

/** Lies about what was asked. */
export const aboutQuestion: readonly AgentRow[] = [
  shown('another question', (body) => Object.assign(body, { question: 'May I delete the test database?' })),
  shown('no question', (body) => delete body.question),
  shown('another plaintext', (body) => Object.assign(body, { plaintext: 'It is Friday.' })),
  shown('no plaintext', (body) => delete body.plaintext),
  shown('another context message', (_, [first]) =>
    Object.assign(first ?? {}, { content: 'The disk is empty.' }),
  ),
  shown('a context message of another role', (_, [first]) =>
    Object.assign(first ?? {}, { role: 'assistant' }),
  ),
  shown('one context message less', (_, messages) => messages.pop()),
  shown('one context message more', (_, messages) => messages.push({ role: 'user', content: 'Hurry.' })),
  shown('the context in another order', (_, messages) => messages.reverse()),
  {
    ...shown('another question, in place of a neutral one', (body) =>
      Object.assign(body, { question: 'Hello?' }),
    ),
    asked: { question: 'The real one?', confidential: true },
  },
  {
    name: 'keeps the last ten of twelve context messages, as it should',
    asked: {
      question: 'May I?',
      messages: Array.from({ length: 12 }, (_, n) => ({ role: 'user', content: `${n}` })),
    },
    lie: () => ({}),
  },
];
