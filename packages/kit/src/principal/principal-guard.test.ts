import { beforeEach, describe, expect, test } from '@jest/globals';
import { createLog } from '../log/index.ts';
import { createMetrics } from '../metrics/index.ts';
import { createPrincipalGuard, type PrincipalGuard, type Refusal, type VerifiedHead } from './index.ts';
import { digestOf } from './principal.ts';

const header = 'gateway.k1.secret-payload.mac';
const call = { method: 'GET', path: '/api/v1/requests?q=private' };
const clock = { time: 1_000_000, now: () => clock.time };
let refused: Refusal | undefined;
let verified: VerifiedHead;
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
    verify: () => (refused ? { refused } : { verified }),
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

test('a principal that is not valid gets 502, and is logged with the reason but without its text', () => {
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

describe('the body of a call', () => {
  const body = Buffer.from('{"private":1}');
  const accept = (bodyDigest: Buffer) => {
    refused = undefined;
    verified = { caller: 'gateway', principal: { kind: 'nobody' }, callId: 'c', bodyDigest };
    return guard(header, call);
  };

  test('is accepted if it is the one that was signed', () => {
    accept(digestOf(body)).checkBody(body);
  });

  test.each([
    ['another one', Buffer.from('{"private":2}')],
    ['none', Buffer.alloc(0)],
  ])('is refused with 502 if it is %s, counted, and logged without its text', async (_, other) => {
    const accepted = accept(digestOf(body));
    expect(() => accepted.checkBody(other)).toThrow(
      expect.objectContaining({ code: 'principal_refused', status: 502 }),
    );
    expect(lines()).toEqual([expect.objectContaining({ level: 'error', reason: 'wrong_body' })]);
    expect(text).not.toMatch(/private/);
    expect(await metrics.metrics()).toMatch(/^relay_principal_refused_total\{reason="wrong_body",.*\} 1$/m);
  });
});

test('a principal that was accepted before is answered as a call that may have taken effect', () => {
  refused = { reason: 'repeated', caller: 'gateway' };
  expect(() => guard(header, call)).toThrow(expect.objectContaining({ code: 'bad_gateway', status: 502 }));
  expect(text).toContain('nothing between the two services repeats calls');
});

test('a call without a principal gets 401, counted and not logged', async () => {
  refused = { reason: 'missing' };
  expect(() => guard(undefined, call)).toThrow(expect.objectContaining({ code: 'unauthorized' }));
  expect(lines()).toEqual([]);
  expect(await metrics.metrics()).toMatch(/^relay_principal_refused_total\{reason="missing",.*\} 1$/m);
});

test('one refusal of each caller and reason is logged in 10 seconds, with the number of the others; all are counted', async () => {
  const refuse = (reason: Refusal['reason'], caller = 'gateway') => {
    refused = { reason, caller };
    expect(() => guard(header, call)).toThrow();
  };
  for (let times = 0; times < 1_000; times++) refuse('wrong_mac');
  refuse('unknown_key');
  refuse('unknown_key', 'hub');
  expect(lines().map(({ reason, caller }) => [reason, caller])).toEqual([
    ['wrong_mac', 'gateway'],
    ['unknown_key', 'gateway'],
    ['unknown_key', 'hub'],
  ]);
  clock.time += 10_000;
  refuse('wrong_mac');
  expect(lines()[3]).toMatchObject({ reason: 'wrong_mac', unloggedBefore: 999 });
  expect(await metrics.metrics()).toMatch(/^relay_principal_refused_total\{reason="wrong_mac",.*\} 1001$/m);
});
