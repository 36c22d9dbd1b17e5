import { expect, test } from '@jest/globals';
import { faults } from '../causes/index.ts';
import { allPairs } from '../stage/line-up.ts';
import { makePlan } from './make-plan.ts';

/** What a plan decides, without what it does. */
const decided = (seed: number) => {
  const { faults: planned, random, ...rest } = makePlan(seed);
  return JSON.stringify([planned.map(({ title, needs }) => [title, needs]), rest, random.uuid()]);
};

test('the same seed decides the same, another one something else', () => {
  for (let seed = 1; seed <= 20; seed++) expect(decided(seed)).toBe(decided(seed));
  expect(new Set(Array.from({ length: 20 }, (_, seed) => decided(seed + 1))).size).toBe(20);
});

test('every fault has its turn within fifty seeds, and each seed has one or two', () => {
  expect(faults.length).toBeLessThanOrEqual(50);
  const plans = Array.from({ length: 50 }, (_, index) => makePlan(index + 1));
  for (const { faults: planned } of plans) expect([1, 2]).toContain(planned.length);
  expect(plans.some(({ faults: planned }) => planned.length === 2)).toBe(true);
});

test('every pair is parted within seventy seeds', () => {
  const titles = Array.from({ length: 70 }, (_, index) =>
    makePlan(index + 1).faults.map(({ title }) => title),
  );
  const missed = allPairs(2).filter((pair) => !titles.flat().some((title) => title.startsWith(`${pair} `)));
  expect(missed).toEqual([]);
});

test('what a fault needs is what the seed gets', () => {
  const plans = Array.from({ length: 50 }, (_, index) => makePlan(index + 1));
  const flushed = plans.find(({ faults: [first] }) => first?.title.startsWith('Redis flushed with 10,000'));
  expect(flushed?.crowd?.count).toBe(10_000);
  const many = plans.find(({ faults: [first] }) => first?.title.includes('under 1,000 resuming'));
  expect((many?.readersPerRequest ?? 0) * (many?.scripts.length ?? 0)).toBe(1_000);
  const race = plans.find(({ faults: [first] }) => first?.title.startsWith('three workers'));
  expect(race?.stage.workers).toBe(3);
});
