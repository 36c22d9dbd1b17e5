import { RelayError } from '@expert-relay/sdk';
import { expect, test } from '@jest/globals';
import { codeOf, type FailureCode } from './failure-codes.ts';
import { actionSentence, failureSentence, sentences, unsentSentence } from './failure-sentences.ts';

const allCodes = Object.keys(sentences) as FailureCode[];

test.each(allCodes)('%s has its own sentence, in words that experts know', (code) => {
  const { what, next } = failureSentence(code);
  expect(what).toMatch(/^[A-Z].*\.$/);
  expect(next).toMatch(/^[A-Z].*\.$/);
  expect(`${what} ${next}`).not.toMatch(
    /consumer|provider|payload|topic|sequence|decrypt|signature|null|close the request/i,
  );
  const others = allCodes.filter((other) => other !== code).map((other) => failureSentence(other).what);
  expect(others).not.toContain(what);
});

test.each(allCodes)('%s of a button promises no kept text and no automatic retry', (code) => {
  const { what, next } = actionSentence(code);
  expect(next).toMatch(/^[A-Z].*\.$/);
  expect(`${what} ${next}`).not.toMatch(
    /text is kept|you typed|automatically|consumer|provider|payload|topic/i,
  );
});

test.each(['invalid_key', 'rate_limited', 'unavailable', 'timeout'] as const)(
  'an answer that was refused with %s says so only until that has passed',
  (code) => {
    expect(unsentSentence(code, false)).toEqual(actionSentence(code));
    const { what, next } = unsentSentence(code, true);
    expect(`${what} ${next}`).toBe('It was interrupted. Try again.');
    expect(unsentSentence('conversation_full', true)).toEqual(failureSentence('conversation_full'));
  },
);

test('a reason counts only where the expert can do something else', () => {
  expect(codeOf(new RelayError('keys_changed', 'No.'))).toBe('keys_changed');
  expect(codeOf(new RelayError('wrong_signature', 'No.'))).toBe('untrusted');
  expect(codeOf(new RelayError('conversation_full', 'No.'))).toBe('conversation_full');
  expect(codeOf(new RelayError('keys_already_exchanged', 'No.'))).toBe('conflict');
});
