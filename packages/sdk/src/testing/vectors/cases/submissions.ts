import type { Draft, Kinds } from '../case.ts';
import { asked } from '../people.ts';

type Asked = Kinds['submission'][0];

const { refCode } = asked;

/** Digests of questions. */
export function submissionCases(): Draft[] {
  const digest = (name: string, rest: Partial<Asked>): Draft => ({
    name: `a question: ${name}`,
    kind: 'submission',
    input: { refCode, messages: [], ...rest },
  });
  const said = (count: number) =>
    Array.from({ length: count }, (_, n) => ({
      role: n % 2 ? 'assistant' : 'user',
      content: `Message ${n}`,
    }));
  return [
    digest('with two messages', asked),
    digest('nothing but its code', {}),
    digest('empty texts, which count as absent ones', {
      agentVersions: '',
      agentName: '',
      question: '',
      plaintext: '',
      answerForm: '',
    }),
    digest('a code in lower case, as it is', { refCode: refCode.toLowerCase() }),
    digest('versions of another agent, unread', { agentVersions: '4,5 and anything else' }),
    digest('a name alone', { agentName: 'Deploy bot' }),
    digest('a plaintext alone', { plaintext: 'May I?' }),
    digest('a form alone, as the text that was submitted', { answerForm: '{"type": "object"}' }),
    digest('question and plaintext', { question: 'May I?', plaintext: 'In plain text: may I?' }),
    digest('ten messages', { question: 'May I?', messages: said(10) }),
    digest('twelve messages, of which the relay keeps the last ten', {
      question: 'May I?',
      messages: said(12),
    }),
    digest('as it is: nothing is trimmed or normalised', {
      question: ' cafe\u0301\r\n\u0000',
      messages: [{ role: 'User', content: '' }],
    }),
    { ...digest('half a character', { question: '\ud83d' }), error: 'invalid_input' },
    { ...digest('half a character in its name', { agentName: '\ud83d' }), error: 'invalid_input' },
  ];
}

/** Questions that differ from the one that was asked in one member. */
export const otherQuestions: readonly (readonly [name: string, other: Asked])[] = (() => {
  const { question, ...rest } = asked;
  const [first, second] = asked.messages as [Said, Said];
  return [
    ['another question', { ...asked, question: 'May I delete the PRODUCTION database?' }],
    ['no question', rest],
    ['another code', { ...asked, refCode: 'HS-7KQ2M9XE' }],
    ["another agent's name", { ...asked, agentName: 'Staging bot' }],
    ['other versions of the agent', { ...asked, agentVersions: '45' }],
    ['a form that nobody sent', { ...asked, answerForm: '{"type":"object","properties":{}}' }],
    ['a plaintext that nobody wrote', { ...asked, plaintext: 'Go on.' }],
    ['the question as the plaintext', { ...rest, plaintext: asked.question as string }],
    ['another context message', { ...asked, messages: [first, { ...second, content: 'The test one.' }] }],
    ['another role', { ...asked, messages: [{ ...first, role: 'assistant' }, second] }],
    ['one message less', { ...asked, messages: [second] }],
    ['one message more', { ...asked, messages: [...asked.messages, first] }],
    ['the messages in another order', { ...asked, messages: [second, first] }],
  ];
})();

type Said = { role: string; content: string };
