import { Facts } from '../ui/facts.tsx';
import { Section } from './section.tsx';

/** The words of a request that an expert meets first. docs/answering.md has the rest. */
const words: readonly (readonly [string, string])[] = [
  [
    'Approve, Decline',
    'A decision on which the agent acts. It is sent after four seconds. Meanwhile, Undo takes it back.',
  ],
  ['Write a message', 'A message decides nothing. The agent goes on waiting for your decision.'],
  [
    'Encrypted',
    'Only you and the agent can read your answer. The people who run this relay can read the question, unless it is confidential. If it says Not encrypted, they can read your answer, too.',
  ],
  [
    'A grey button',
    'A part of the request was not in view yet. A press scrolls there: read it, then press again.',
  ],
  [
    'The agent wrote meanwhile',
    'Your answer was not sent, since it was for what stood there before. Read what is new, then send it again.',
  ],
  ['Not sent', 'The relay could not be reached, or has refused the answer. Your text is kept.'],
  [
    'Recovery code',
    'It opens your key in another browser. Keep it where only you can read it. If it is lost, a browser that has your key makes a new one.',
  ],
];

/** What the buttons and sentences of a request mean. */
export const Help = () => (
  <Section title="Help" about="What the buttons and sentences of a request mean.">
    <Facts facts={words} />
  </Section>
);
