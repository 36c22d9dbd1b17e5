import { expect, test } from '@jest/globals';
import { requestRow } from '../testing/requests.ts';
import { arrangeRows, isSnoozed } from './snoozes.ts';

const at = (hour: number) => `2026-11-21T${String(hour).padStart(2, '0')}:00:00.000Z`;
const row = (minute: number, agent: string, expires: number, activity = 9) =>
  requestRow(minute, {
    agent: { keyId: agent, name: agent },
    expiresAt: at(expires),
    lastActivityAt: at(activity),
  });
const rows = [row(4, 'ada', 22), row(3, 'bo', 20), row(2, 'ada', 14), row(1, 'bo', 17)];
const plain = { order: 'newest', snoozes: {}, now: Date.parse(at(12)) } as const;

test.each([
  ['newest first', {}, [4, 3, 2, 1]],
  ['least time left first', { order: 'time-left' }, [2, 1, 3, 4]],
  ['of one agent', { agent: 'bo' }, [3, 1]],
  ['of all agents, if the one has none', { agent: 'cy' }, [4, 3, 2, 1]],
  ['snoozed ones last', { snoozes: { 'request-3': { until: at(13), since: at(10) } } }, [4, 2, 1, 3]],
] as const)('%s', (_, change, expected) => {
  const arranged = arrangeRows(rows, { ...plain, ...change });
  expect(arranged.map(({ requestId }) => requestId)).toEqual(expected.map((minute) => `request-${minute}`));
});

test.each([
  ['before its time', at(13), 9, true],
  ['after its time', at(11), 9, false],
  ['without a time', undefined, 9, true],
  ['once the agent has written', at(13), 11, false],
  ['without a time, once the agent has written', undefined, 11, false],
])('a request is snoozed %s: %j', (_, until, activity, expected) => {
  const snoozes = { 'request-1': { until, since: at(10) } };
  expect(isSnoozed(row(1, 'ada', 20, activity), snoozes, plain.now)).toBe(expected);
  expect(isSnoozed(row(2, 'ada', 20, activity), snoozes, plain.now)).toBe(false);
});
