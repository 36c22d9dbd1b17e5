import { expect, test } from '@jest/globals';
import { type QuietHours, quietHoursEnd } from './quiet-hours.ts';

const night = (timeZone: string, from = '22:00', to = '07:00'): QuietHours => ({ from, to, timeZone });
const until = (now: string, hours: QuietHours) => {
  const ms = quietHoursEnd(Date.parse(now), hours);
  return ms === undefined ? undefined : new Date(ms).toISOString();
};

test.each([
  ['before them', '2026-11-23T20:59:59Z', night('Europe/Berlin'), undefined],
  ['when they begin', '2026-11-23T21:00:00Z', night('Europe/Berlin'), '2026-11-24T06:00:00.000Z'],
  ['after midnight', '2026-11-24T01:30:30Z', night('Europe/Berlin'), '2026-11-24T06:00:00.000Z'],
  ['in the last minute', '2026-11-24T05:59:59Z', night('Europe/Berlin'), '2026-11-24T06:00:59.000Z'],
  ['when they end', '2026-11-24T06:00:00Z', night('Europe/Berlin'), undefined],
  ['within a day', '2026-11-24T11:00:00Z', night('UTC', '10:30', '12:00'), '2026-11-24T12:00:00.000Z'],
  ['in a zone of half hours', '2026-11-23T17:00:00Z', night('Asia/Kolkata'), '2026-11-24T01:30:00.000Z'],
  ['when the clocks go forward', '2026-03-28T22:00:00Z', night('Europe/Berlin'), '2026-03-29T05:00:00.000Z'],
  ['when they go back', '2026-10-24T21:00:00Z', night('Europe/Berlin'), '2026-10-25T06:00:00.000Z'],
  ['in a zone that this Node does not know', '2026-11-23T23:00:00Z', night('Mars/Olympus'), undefined],
])('quiet hours: %s', (_, now, hours, expected) => {
  expect(until(now, hours)).toBe(expected);
});
