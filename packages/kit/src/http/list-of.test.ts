import { expect, test } from '@jest/globals';
import { z } from 'zod';
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

/** What the error says, and how many entries were looked at until then. */
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

test('gives the entries in their order', () => {
  const messages = [good, { role: 'assistan', content: '' }];
  expect(parseBody(schema, { messages, key: 'k', question: '' }).messages).toEqual(messages);
});

test.each([
  [undefined, 'required'],
  ['x', 'type'],
  [[], 'size'],
  [repeated(good, 1_001), 'size'],
])('%.30j is refused without a look at its entries', (messages, code) => {
  const { paths, checked: looked } = refusal({ messages, key: 'k', question: '' });
  expect([paths, looked]).toEqual([[`messages ${code}`], 0]);
});

test('each wrong entry is named, and the other members of the body as well', () => {
  const said = refusal({ messages: [good, { role: 'far too long' }, 7] });
  expect(said.paths).toEqual([
    'messages[1].role size',
    'messages[1].content required',
    'messages[2] type',
    'question required',
  ]);
  expect(said.detail).toMatch(/each names/);
});

test('what the schema says of the whole body is checked beside a wrong entry', () => {
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
  const said = refusal({ messages: repeated({}, length), key: 'k', question: '' });
  expect(said.fields).toHaveLength(20);
  expect(said.paths.at(-1)).toBe('messages[9].content required');
  expect(said.detail.includes('there are more')).toBe(hasMore);
  expect(said.checked).toBeLessThanOrEqual(11);
});
