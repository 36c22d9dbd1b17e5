import { expect, test } from '@jest/globals';
import * as z from 'zod';
import { Problem } from '../problem/index.ts';
import { listOf, parseBody } from './parse-body.ts';

let checked = 0;
const entry = z.unknown().transform((value) => {
  checked++;
  return value;
});
const message = entry.pipe(
  z.object({
    role: z.string({ error: 'Expected a text.' }).max(8, 'Expected at most 8 characters.'),
    content: z.string({ error: 'Expected a text.' }),
  }),
);
const schema = z
  .object({
    messages: listOf(message, { least: 1, most: 1_000, error: 'Expected a list of 1 to 1,000.' }),
    key: z.string({ error: 'Expected a text.' }).nullish(),
    question: z.string({ error: 'Expected a text.' }),
  })
  .superRefine(({ key }, context) => {
    if (!key) context.addIssue({ code: 'custom', path: ['key'], message: 'Expected the key.' });
  });

/** The error, and how many entries were checked until then. */
function refusal(body: unknown) {
  checked = 0;
  try {
    parseBody(schema, body);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { detail, fields } = error.toJSON() as { detail: string; fields: { path: string; code: string }[] };
    return { detail, fields, paths: fields.map(({ path, code }) => `${path} ${code}`), checked };
  }
  throw new Error('was not refused');
}
const repeated = (value: unknown, length: number) => Array.from({ length }, () => value);
const good = { role: 'user', content: 'x' };

test('returns the entries in their order', () => {
  const messages = [good, { role: 'assistan', content: '' }];
  expect(parseBody(schema, { messages, key: 'k', question: '' }).messages).toEqual(messages);
});

test.each([
  [undefined, 'required'],
  ['x', 'type'],
  [[], 'size'],
  [repeated(good, 1_001), 'size'],
])('%.30j is refused before its entries are checked', (messages, code) => {
  const { paths, checked } = refusal({ messages, key: 'k', question: '' });
  expect([paths, checked]).toEqual([[`messages ${code}`], 0]);
});

test('each wrong entry is named, and the other members of the body as well', () => {
  const error = refusal({ messages: [good, { role: 'far too long' }, 7] });
  expect(error.paths).toEqual([
    'messages[1].role size',
    'messages[1].content required',
    'messages[2] type',
    'question required',
  ]);
  expect(error.detail).toMatch(/each names/);
});

test('a rule about the whole body is checked in addition to a wrong entry', () => {
  expect(refusal({ messages: [{ role: 'user' }], question: '' }).paths).toEqual([
    'messages[0].content required',
    'key value',
  ]);
});

test.each([
  [10, false],
  [11, true],
  [1_000, true],
])('%i entries with two errors each: at most 20 errors, and no more is checked', (length, hasMore) => {
  const error = refusal({ messages: repeated({}, length), key: 'k', question: '' });
  expect(error.fields).toHaveLength(20);
  expect(error.paths.at(-1)).toBe('messages[9].content required');
  expect(error.detail.includes('there are more')).toBe(hasMore);
  expect(error.checked).toBeLessThanOrEqual(11);
});
