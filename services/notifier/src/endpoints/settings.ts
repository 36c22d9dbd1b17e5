import { type Query, sql } from '@expert-relay/db';
import { timeSchema } from '@expert-relay/kit/http';
import { Problem } from '@expert-relay/kit/problem';
import * as z from 'zod';
import { lockedInOrder } from './endpoint-rows.ts';
import { isTimeZone, type QuietHours, quietHoursEnd } from './quiet-hours.ts';

/** When a user is not notified. */
export interface Settings {
  readonly pausedUntil: string | null;
  readonly quietHours: QuietHours | null;
}

/** The columns of `notification_settings` from which `quietUntil` computes, and the time of the database. */
export interface StoredTimes {
  readonly nowMs: number;
  readonly pausedUntilMs: number | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly timeZone: string | null;
}

export const storedTimes = sql`(extract(epoch FROM now()) * 1000)::float8 AS "nowMs",
  (extract(epoch FROM paused_until) * 1000)::float8 AS "pausedUntilMs",
  quiet_from AS "from", quiet_to AS "to", time_zone AS "timeZone"`;

/** When the person may be notified again, as a time for Postgres; null if it is now. */
export function quietUntil(times: StoredTimes): string | null {
  const { nowMs, pausedUntilMs } = times;
  const hours = quietHoursOf(times);
  const until = Math.max(pausedUntilMs ?? 0, (hours && quietHoursEnd(nowMs, hours)) ?? 0);
  return until > nowMs ? new Date(until).toISOString() : null;
}

const quietHoursOf = ({ from, to, timeZone }: StoredTimes): QuietHours | null =>
  from && to && timeZone ? { from, to, timeZone } : null;

const maxPauseMs = 366 * 86_400_000;
const expectedPause = 'Expected a time in the future, at most a year from now, such as 2026-12-01T08:00:00Z.';
const expectedTime = 'Expected a time of a day such as 22:00.';
const dayTime = z.string({ error: expectedTime }).regex(/^([01]\d|2[0-3]):[0-5]\d$/, expectedTime);
const expectedZone = 'Expected a name of the IANA time zones, such as Europe/Berlin.';

/** An absent setting is kept, and null ends it: two changes at the same time do not undo each other. */
export const settingsSchema = (nowMs: number) =>
  z.object({
    pausedUntil: timeSchema(expectedPause)
      .refine((text) => Date.parse(text) > nowMs && Date.parse(text) < nowMs + maxPauseMs, expectedPause)
      .nullish(),
    quietHours: z
      .object({
        from: dayTime,
        to: dayTime,
        timeZone: z
          .string({ error: expectedZone })
          .max(64, expectedZone)
          .refine((name) => /^[A-Za-z][\w+\-/]*$/.test(name) && isTimeZone(name), expectedZone),
      })
      .refine(({ from, to }) => from !== to, { error: 'Expected two different times.', path: ['to'] })
      .nullish(),
  });

export async function readSettings(query: Query, userId: string): Promise<Settings> {
  const [row] = await query<StoredTimes & { pausedUntil: string | null }>`
    SELECT CASE WHEN paused_until > now() THEN paused_until END AS "pausedUntil", ${storedTimes}
    FROM notification_settings WHERE user_id = ${userId}::uuid`;
  if (!row) return { pausedUntil: null, quietHours: null };
  return { pausedUntil: row.pausedUntil, quietHours: quietHoursOf(row) };
}

/** Stores the settings that are given, and looks again at what waits for the user. */
export async function changeSettings(
  query: Query,
  userId: string,
  { pausedUntil, quietHours }: z.infer<ReturnType<typeof settingsSchema>>,
): Promise<void> {
  const keepsPause = pausedUntil === undefined;
  const keepsHours = quietHours === undefined;
  const [changed] = await query`
    WITH changed AS (
      INSERT INTO notification_settings AS old (user_id, paused_until, quiet_from, quiet_to, time_zone)
      SELECT id, ${pausedUntil ?? null}::timestamptz, ${quietHours?.from ?? null}::text, ${quietHours?.to ?? null}::text,
        ${quietHours?.timeZone ?? null}::text
      FROM users WHERE id = ${userId}::uuid
      ON CONFLICT (user_id) DO UPDATE SET
        paused_until = CASE WHEN ${keepsPause} THEN old.paused_until ELSE EXCLUDED.paused_until END,
        quiet_from = CASE WHEN ${keepsHours} THEN old.quiet_from ELSE EXCLUDED.quiet_from END,
        quiet_to = CASE WHEN ${keepsHours} THEN old.quiet_to ELSE EXCLUDED.quiet_to END,
        time_zone = CASE WHEN ${keepsHours} THEN old.time_zone ELSE EXCLUDED.time_zone END
      RETURNING 1
    ),
    made_due AS (
      UPDATE notification_endpoints SET next_due_at = LEAST(next_due_at, now())
      WHERE ${lockedInOrder(sql`user_id = ${userId}::uuid AND channel <> 'webhook'`)}
    )
    SELECT 1 FROM changed`;
  // The user was erased.
  if (!changed) throw new Problem('unauthorized');
}
