import { expect, test } from '@jest/globals';
import { readJson, writeJson } from '../files/json-with-bytes.ts';
import { type AnswerContent, isSameContent, writtenText } from './answer-content.ts';

const decidedAt = '2026-11-24T08:30:00Z';
const yes = { text: 'Go on.', answer: { action: 'accept', content: { a: 1 }, decidedAt, of: 'f' } } as const;
const bytes = crypto.getRandomValues(new Uint8Array(20_000));
const file = { name: 'core', mediaType: 'application/octet-stream', bytes };

test('answers with files are stored and read back to the byte', () => {
  const answers = [{ text: 'Yes.' }, { ...yes, files: [file, { ...file, bytes: new Uint8Array() }] }];
  expect(readJson(writeJson(answers))).toEqual(answers);
});

test.each<[string, AnswerContent, AnswerContent, boolean]>([
  ['equal texts', { text: 'Yes.' }, { text: 'Yes.' }, true],
  ['other texts', { text: 'Yes.' }, { text: 'No.' }, false],
  ['a text and a decision', { text: 'Go on.' }, yes, false],
  [
    'a decision that was dated later',
    yes,
    { ...yes, answer: { ...yes.answer, decidedAt: '2027-01-01T00:00:00Z' } },
    true,
  ],
  ['a decision as the SDK words it without encryption', yes, { ...yes, text: 'Approved.\nGo on.' }, true],
  ['another content', yes, { ...yes, answer: { ...yes.answer, content: { a: 2 } } }, false],
  ['another form', yes, { ...yes, answer: { ...yes.answer, of: 'g' } }, false],
  ['a decline', yes, { text: 'Go on.', answer: { action: 'decline', decidedAt, of: 'f' } }, false],
  ['other files', { text: '', files: [file] }, { text: '', files: [{ ...file, name: 'log' }] }, false],
])('%s', (_, one, other, isSame) => {
  expect(isSameContent(one, other)).toBe(isSame);
});

test('without encryption, the expert has written the comment of a decision', () => {
  const worded = { ...yes, text: 'Approved.\nGo on.', answer: { ...yes.answer, comment: 'Go on.' } };
  expect(writtenText(worded, false)).toBe('Go on.');
  expect(writtenText(yes, true)).toBe('Go on.');
  expect(writtenText({ text: 'Yes.' }, false)).toBe('Yes.');
});
