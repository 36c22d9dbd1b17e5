import type { AgentExpectation, ExpectedError } from '@expert-relay/testkit/lies';
import { afterAll, beforeAll, test } from '@jest/globals';
import { isRefusal } from '../../crypto/refusal.ts';
import type { RelayError } from '../../index.ts';
import { drawTable } from '../draw-table.ts';
import { useSession } from '../use-session.ts';
import { type TestServer, useTestServer } from '../use-test-server.ts';
import { type LieContext, makeLieContext, makeSetup, type Setup } from './lie-context.ts';

/** A lying relay with another agent and expert. It changes one thing at a time. */
export interface Lane {
  readonly setup: Setup;
  readonly context: LieContext;
}

// Each lie is partly waiting time, so several run at the same time: as many as Jest's default for `maxConcurrency`.
const laneCount = 5;

/**
 * Makes a test of each row, and prints a table of the results: `check` reports what the SDK does. Call it outside of
 * `describe`, since concurrent tests start before the hooks of a `describe`.
 */
export function testLies<Row extends { readonly name: string }>(
  side: 'to the agent' | 'to the expert' | 'to the expert with a session',
  rows: readonly Row[],
  check: (row: Row, lane: Lane, report: (result: string) => void) => Promise<void>,
  server: TestServer = useTestServer(),
): void {
  const isSession = side === 'to the expert with a session';
  // Each has another user.
  const sessions = isSession ? Array.from({ length: laneCount }, () => useSession(server)) : [];
  const freeLanes: Lane[] = [];
  const results = new Map<Row, string>();

  beforeAll(async () => {
    for (let count = 0; count < laneCount; count += 1) {
      const setup = await makeSetup(server, sessions[count]);
      freeLanes.push({ setup, context: await makeLieContext(setup) });
    }
  });
  afterAll(() => {
    const seen = rows.map((row) => [row.name, results.get(row) ?? '']);
    process.stdout.write(
      drawTable(`What a lying relay does ${side}, and what the SDK does`, [
        ['The relay', 'The SDK'],
        ...seen,
      ]),
    );
  });
  test.concurrent.each(rows)(`${side}, a lying relay that $name`, async (row) => {
    const lane = freeLanes.pop();
    if (!lane)
      throw new Error('More tests run at the same time than there are lanes: see maxConcurrency of Jest.');
    try {
      await check(row, lane, (result) => void results.set(row, result));
    } finally {
      freeLanes.push(lane);
    }
  });
}

/** The first lie of each kind: a kind is what the client must say of it. */
export const oneOfEachKind = <Row extends AgentExpectation>(rows: readonly Row[]): readonly Row[] =>
  rows.filter((row, at) => at === rows.findIndex((other) => nameOf(other.error) === nameOf(row.error)));

/** All the others. */
export const othersOfEachKind = <Row extends AgentExpectation>(rows: readonly Row[]): readonly Row[] =>
  rows.filter((row) => !oneOfEachKind(rows).includes(row));

const nameOf = (error: ExpectedError | undefined) => error?.reason ?? error?.code;

/** What the tables expect of an error. */
export const codesOf = (error: RelayError | ExpectedError | null | undefined) => ({
  code: error?.code,
  reason: error?.reason,
});

export const describeError = (error: RelayError) =>
  `${isRefusal(error) ? 'refuses' : 'reports'}: ${nameOf(error)}`;
