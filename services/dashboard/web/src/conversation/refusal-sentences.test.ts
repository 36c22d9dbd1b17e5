import { readFileSync } from 'node:fs';
import { RelayError, type RelayErrorCode } from '@expert-relay/sdk';
import { expect, test } from '@jest/globals';
import {
  actionSentence,
  codeOf,
  type FailureCode,
  isRefusal,
  refusalSentence,
  refusedAnswerSentence,
} from './refusal-sentences.ts';

const source = readFileSync(
  new URL('../../../../../packages/sdk/src/relay-error.ts', import.meta.url),
  'utf8',
);
const codes = [...source.matchAll(/^ {2}\| '(\w+)'/gm)].map(([, code]) => code as RelayErrorCode);

const allCodes: readonly FailureCode[] = [...codes, 'conversation_full'];

test.each(allCodes)('%s has its own sentence, in words that experts know', (code) => {
  const { what, next } = refusalSentence(code);
  expect(what).toMatch(/^[A-Z].*\.$/);
  expect(next).toMatch(/^[A-Z].*\.$/);
  expect(`${what} ${next}`).not.toMatch(
    /consumer|provider|payload|topic|sequence|decrypt|signature|null|close the request/i,
  );
  const others = allCodes.filter((other) => other !== code).map((other) => refusalSentence(other).what);
  expect(others).not.toContain(what);
});

test.each(allCodes)('%s of a button promises no kept text and no automatic retry', (code) => {
  const { what, next } = actionSentence(code);
  expect(next).toMatch(/^[A-Z].*\.$/);
  expect(`${what} ${next}`).not.toMatch(
    /text is kept|you typed|automatically|consumer|provider|payload|topic/i,
  );
});

test.each(['invalid_key', 'rate_limited', 'unreachable', 'timeout'] as const)(
  'an answer that was refused with %s says so only until that has passed',
  (code) => {
    expect(refusedAnswerSentence(code, false)).toEqual(actionSentence(code));
    const { what, next } = refusedAnswerSentence(code, true);
    expect(`${what} ${next}`).toBe('It was interrupted. Try again.');
    expect(refusedAnswerSentence('conversation_full', true)).toEqual(refusalSentence('conversation_full'));
  },
);

test('only errors about trust block the reply box', () => {
  const [, list = ''] = /What cannot be trusted\.([^;]*);/.exec(source) ?? [];
  const untrusted = [...list.matchAll(/'(\w+)'/g)].map(([, code]) => code);
  const ofTheVault = ['wrong_recovery_code', 'malformed_vault'];
  expect(codes.filter(isRefusal)).toEqual(untrusted.filter((code) => !ofTheVault.includes(String(code))));
  expect(isRefusal('message_missing')).toBe(true);
  expect(isRefusal('unreachable')).toBe(false);
});

test('a full conversation is not reported as a change on another device', () => {
  const full = new RelayError('conflict', 'It is full.', { status: 409, problem: 'conversation_full' });
  expect(codeOf(full)).toBe('conversation_full');
  expect(codeOf(new RelayError('conflict', 'Other keys.', { status: 409, problem: 'conflict' }))).toBe(
    'conflict',
  );
});
