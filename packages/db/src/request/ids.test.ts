import { expect, test } from '@jest/globals';
import { makeRefCode, makeRequestId, parseRefCode, parseRefCodeStart } from './ids.ts';

test('of a million request ids none begins as a reference code does', () => {
  const wrong: string[] = [];
  for (let count = 0; count < 1_000_000; count++) {
    const id = makeRequestId();
    if (!/^(?!hs-)[\w-]{22}$/i.test(id)) wrong.push(id);
  }
  expect(wrong).toEqual([]);
});

test('a reference code is read in each form in which people write it', () => {
  const code = makeRefCode();
  expect(parseRefCode(`HS-${code}`)).toBe(code);
  expect(parseRefCode(`hs-${code.toLowerCase().replaceAll('0', 'o').replaceAll('1', 'l')}`)).toBe(code);
  expect(parseRefCode(`HS-${code}0`)).toBeUndefined();
  expect(parseRefCode('HS-7KQ2M9XU')).toBeUndefined();
});

test.each([
  ['HS-7', '7'],
  ['hs-7ko', '7K0'],
  ['7K3M', '7K3M'],
  ['7K3M9QXA', '7K3M9QXA'],
  ['7K3', undefined],
  ['HS-', undefined],
  ['7K3M 9', undefined],
  ['HS-7K3M9QXA0', undefined],
])('%j begins a reference code: %j', (text, start) => {
  expect(parseRefCodeStart(text)).toBe(start);
});
