import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { inTurn } from './in-turn.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => {
  jest.runAllTimers();
  jest.useRealTimers();
});

/** Asks for texts of these lengths, and returns those that were rendered by now. */
function ask(...lengths: readonly number[]) {
  const rendered: number[] = [];
  const cancel = lengths.map((length) => inTurn(length, () => rendered.push(length)));
  return { rendered, cancel };
}

test('short texts are rendered at once', () => {
  expect(ask(1_000, 20_000, 300).rendered).toEqual([1_000, 20_000, 300]);
});

test('of many long texts, each task renders 30,000 characters in their order', () => {
  const { rendered } = ask(30_000, 29_999, 1, 2, 20_000);
  expect(rendered).toEqual([30_000]);
  jest.runOnlyPendingTimers();
  expect(rendered).toEqual([30_000, 29_999, 1]);
  jest.runOnlyPendingTimers();
  expect(rendered).toEqual([30_000, 29_999, 1, 2, 20_000]);
});

test('a short text does not overtake a long one', () => {
  const { rendered } = ask(20_000, 20_000, 1);
  expect(rendered).toEqual([20_000]);
  jest.runOnlyPendingTimers();
  expect(rendered).toEqual([20_000, 20_000, 1]);
});

test('a text of more than 30,000 characters gets a task of its own, and those behind it are rendered', () => {
  const { rendered } = ask(1, 30_001, 2);
  expect(rendered).toEqual([1]);
  jest.runOnlyPendingTimers();
  expect(rendered).toEqual([1, 30_001]);
  jest.runOnlyPendingTimers();
  expect(rendered).toEqual([1, 30_001, 2]);
});

test('a text that is not shown any more is not rendered', () => {
  const { rendered, cancel } = ask(30_000, 10, 20);
  cancel[1]?.();
  jest.runAllTimers();
  expect(rendered).toEqual([30_000, 20]);
});
