import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { inTurn } from './in-turn.ts';

let time = 0;
beforeEach(() => void jest.useFakeTimers());
afterEach(() => {
  jest.runAllTimers();
  jest.useRealTimers();
});

/** Work of so many slices of 5 ms, each of which is noted. */
function* work(name: string, slices: number, done: string[]): Generator<void, string> {
  for (let slice = 1; slice <= slices; slice += 1) {
    time += 5;
    done.push(`${name}${slice}`);
    yield;
  }
  return name;
}

/** Asks for texts of so many slices, and returns what was done by now. */
function ask(texts: Readonly<Record<string, number>>) {
  const done: string[] = [];
  const cancel = Object.entries(texts).map(([name, slices]) =>
    inTurn(
      work(name, slices, done),
      (result) => done.push(`${result}!`),
      () => time,
    ),
  );
  return { done, cancel };
}

test('short work is done at once', () => {
  expect(ask({ a: 1, b: 1 }).done).toEqual(['a1', 'a!', 'b1', 'b!']);
});

test('of long work, each task does 12 ms', () => {
  const { done } = ask({ a: 4 });
  expect(done).toEqual(['a1', 'a2', 'a3']);
  jest.runOnlyPendingTimers();
  expect(done.slice(3)).toEqual(['a4', 'a!']);
});

test('work that comes later does not overtake', () => {
  const { done } = ask({ a: 7, b: 1 });
  jest.runAllTimers();
  expect(done.slice(-4)).toEqual(['a7', 'a!', 'b1', 'b!']);
});

test('a text that is not shown any more is not laid out further', () => {
  const { done, cancel } = ask({ a: 9, b: 1 });
  cancel[0]?.();
  jest.runAllTimers();
  expect(done).toEqual(['a1', 'a2', 'a3', 'b1', 'b!']);
});
