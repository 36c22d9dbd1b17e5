import { expect, test } from '@jest/globals';
import { faults } from '../catalog/index.ts';
import { allPairs } from '../environment/topology.ts';
import { makePlan } from './make-plan.ts';

/** The data of a plan, without its functions. */
const planData = (seed: number) => {
  const { faults: planned, random, ...rest } = makePlan(seed);
  return JSON.stringify([planned.map(({ title, needs }) => [title, needs]), rest, random.uuid()]);
};

test('the same seed gives the same plan, and another seed another plan', () => {
  for (let seed = 1; seed <= 20; seed++) expect(planData(seed)).toBe(planData(seed));
  expect(new Set(Array.from({ length: 20 }, (_, seed) => planData(seed + 1))).size).toBe(20);
});

test('fifty seeds contain every fault, and each seed has one or two faults', () => {
  expect(faults.length).toBeLessThanOrEqual(50);
  const plans = Array.from({ length: 50 }, (_, index) => makePlan(index + 1));
  for (const { faults: planned } of plans) expect([1, 2]).toContain(planned.length);
  expect(plans.some(({ faults: planned }) => planned.length === 2)).toBe(true);
});

test('a hundred seeds disconnect every pair', () => {
  const titles = Array.from({ length: 100 }, (_, index) =>
    makePlan(index + 1).faults.map(({ title }) => title),
  );
  const missed = allPairs(2).filter((pair) => !titles.flat().some((title) => title.startsWith(`${pair} `)));
  expect(missed).toEqual([]);
});

test('the plan of a seed contains what its faults need', () => {
  const plans = Array.from({ length: 50 }, (_, index) => makePlan(index + 1));
  const flushed = plans.find(({ faults: [first] }) => first?.title.startsWith('Redis flushed with 10,000'));
  expect(flushed?.seeded?.count).toBe(10_000);
  const many = plans.find(({ faults: [first] }) => first?.title.includes('under 1,000 resuming'));
  expect((many?.readersPerRequest ?? 0) * (many?.scripts.length ?? 0)).toBe(1_000);
  const race = plans.find(({ faults: [first] }) => first?.title.startsWith('three workers'));
  expect(race?.environment.workers).toBe(3);
});
