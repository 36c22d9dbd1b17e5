import { beforeEach, expect, test } from '@jest/globals';
import { createLog } from '../log/index.ts';
import { createMetrics } from '../metrics/index.ts';
import { createPrincipalGuard, type PrincipalGuard, type Refusal } from './index.ts';

const header = 'gateway.k1.secret-payload.mac';
const call = { method: 'GET', path: '/api/v1/requests?q=private' };
const clock = { time: 1_000_000, now: () => clock.time };
let refused: Refusal;
let text: string;
let guard: PrincipalGuard;
let metrics: ReturnType<typeof createMetrics>;

beforeEach(() => {
  text = '';
  metrics = createMetrics('test', { forProcess: false });
  const destination = {
    write(line: string) {
      text += line;
    },
  };
  guard = createPrincipalGuard({
    verify: () => ({ refused }),
    log: createLog('test', { level: 'info', destination }),
    metrics,
    clock,
  });
});

const lines = () =>
  text
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

test('a principal that is not valid is answered with 502, and logged with the reason but without its text', () => {
  refused = { reason: 'expired', caller: 'gateway', ageMs: 45_000 };
  expect(() => guard(header, call)).toThrow(
    expect.objectContaining({ code: 'principal_refused', status: 502, headers: { 'retry-after': '5' } }),
  );
  expect(lines()).toEqual([
    expect.objectContaining({ level: 'error', reason: 'expired', caller: 'gateway', ageMs: 45_000 }),
  ]);
  expect(text).not.toMatch(/secret-payload|private|k1/);
});

test.each([
  [45_000, 'The call waited for longer than its principal is valid'],
  [-45_000, 'compare the clocks of the two machines'],
])('the log distinguishes a principal that waited from clocks that differ: %i ms', (ageMs, nextStep) => {
  refused = { reason: 'expired', caller: 'gateway', ageMs };
  expect(() => guard(header, call)).toThrow();
  expect(text).toContain(nextStep);
});

test('a call without a principal is answered with 401, counted and not logged', async () => {
  refused = { reason: 'missing' };
  expect(() => guard(undefined, call)).toThrow(expect.objectContaining({ code: 'unauthorized' }));
  expect(lines()).toEqual([]);
  expect(await metrics.metrics()).toMatch(/^relay_principal_refused_total\{reason="missing",.*\} 1$/m);
});

test('one refusal of each reason is logged in 10 seconds, with the number of the others; all are counted', async () => {
  const refuse = (reason: Refusal['reason']) => {
    refused = { reason };
    expect(() => guard(header, call)).toThrow();
  };
  for (let times = 0; times < 1_000; times++) refuse('wrong_mac');
  refuse('unknown_key');
  expect(lines().map(({ reason }) => reason)).toEqual(['wrong_mac', 'unknown_key']);
  clock.time += 10_000;
  refuse('wrong_mac');
  expect(lines()[2]).toMatchObject({ reason: 'wrong_mac', unloggedBefore: 999 });
  expect(await metrics.metrics()).toMatch(/^relay_principal_refused_total\{reason="wrong_mac",.*\} 1001$/m);
});
