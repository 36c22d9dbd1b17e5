import { expect, test } from '@jest/globals';
import { extendTo, keepRows, nothingSelected, type Selection, toggleRow } from './selection.ts';

const order = ['a', 'b', 'c', 'd', 'e'];
const idsOf = (selection: Selection | undefined) => [...(selection?.ids ?? [])].sort().join('');
const select = (...ids: string[]) =>
  ids.reduce<Selection | undefined>(toggleRow, undefined) ?? nothingSelected;

test.each([
  ['one row after the other', select('a', 'c'), 'ac'],
  ['a row twice', select('a', 'c', 'a'), 'c'],
  ['down to a row', extendTo(select('b'), order, 'd'), 'bcd'],
  ['up to a row', extendTo(select('d'), order, 'b'), 'bcd'],
  ['back again with Shift', extendTo(extendTo(select('b'), order, 'e'), order, 'c'), 'bc'],
  ['besides what was selected before', extendTo(select('a', 'd'), order, 'e'), 'ade'],
  ['from the row with the focus', extendTo(nothingSelected, order, 'c', 'b'), 'bc'],
  ['a row alone, where there is nothing to begin at', extendTo(nothingSelected, order, 'c'), 'c'],
  ['from a row that has left the list', extendTo(select('x', 'a'), ['b', 'c'], 'c'), 'acx'],
])('selects %s', (_, selection, expected) => {
  expect(idsOf(selection)).toBe(expected);
});

test('a row that has left is not selected again by Shift', () => {
  const kept = keepRows(select('a', 'b', 'c'), (id) => id !== 'b');
  expect(keepRows(select('b'), (id) => id !== 'b')).toBeUndefined();
  expect(idsOf(kept)).toBe('ac');
  expect(idsOf(extendTo(kept, ['a', 'c', 'd'], 'd'))).toBe('acd');
});
