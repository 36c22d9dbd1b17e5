import { RelayError } from '@expert-relay/sdk';
import { expect, test } from '@jest/globals';
import { explainError } from './explain-error.ts';
import { Failure } from './failure.ts';

const { signal } = new AbortController();

test('an error of this program that the SDK has wrapped keeps its own sentence', () => {
  const cause = new Failure('state', 'The file is broken. Move it away.');
  const wrapped = new RelayError('unexpected_answer', 'Failure', { cause });
  expect(explainError(wrapped, signal)).toBe(cause);
});

test('changed keys are no alarm if the own side changed them', () => {
  const { outcome, message } = explainError(new RelayError('keys_changed', 'The keys have changed.'), signal);
  expect({ outcome, message }).toEqual({
    outcome: 'untrusted',
    message: expect.stringMatching(/^The keys have changed\. Unless your own side did this, /),
  });
});
