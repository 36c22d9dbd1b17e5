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

/** The relay stores another question than the agent asked. */
const replaced = (what: string, alter: (body: Json, messages: Json[]) => unknown): AgentRow => ({
  name: `returns to the expert ${what}`,
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
  replaced('another question', (body) =>
    Object.assign(body, { question: 'May I delete the test database?' }),
  ),
  replaced('no question', (body) => delete body.question),
  replaced('another plaintext', (body) => Object.assign(body, { plaintext: 'It is Friday.' })),
  replaced('no plaintext', (body) => delete body.plaintext),
  replaced('another context message', (_, [first]) =>
    Object.assign(first ?? {}, { content: 'The disk is empty.' }),
  ),
  replaced('a context message of another role', (_, [first]) =>
    Object.assign(first ?? {}, { role: 'assistant' }),
  ),
  replaced('one context message less', (_, messages) => messages.pop()),
  replaced('one context message more', (_, messages) => messages.push({ role: 'user', content: 'Hurry.' })),
  replaced('the context in another order', (_, messages) => messages.reverse()),
  {
    ...replaced('another question in place of a neutral one', (body) =>
      Object.assign(body, { question: 'Hello?' }),
    ),
    asked: { question: 'The real one?', confidential: true },
  },
  {
    name: 'keeps the last ten of twelve context messages, as specified',
    asked: {
      question: 'May I?',
      messages: Array.from({ length: 12 }, (_, n) => ({ role: 'user', content: `${n}` })),
    },
    lie: () => ({}),
  },
];
