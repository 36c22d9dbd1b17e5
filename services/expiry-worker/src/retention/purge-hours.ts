import type { Query } from '@expert-relay/db';

/** `22-6`: from 22:00 until 6:00. */
export const purgeHoursPattern = /^([01]?\d|2[0-4])-([01]?\d|2[0-4])$/;

/** Whether an hour of the day lies within `hours`. */
export function withinHours(hours: string, hour: number): boolean {
  const [from = 0, until = 24] = hours.split('-').map(Number);
  return from < until ? from <= hour && hour < until : from <= hour || hour < until;
}

/** Whether now, by the database's clock and in UTC, is an hour for purging. */
export async function isPurgeHour(query: Query, hours: string): Promise<boolean> {
  const [row] = await query<{ hour: number }>`
    SELECT extract(hour FROM now() AT TIME ZONE 'UTC')::int AS hour`;
  return withinHours(hours, row?.hour ?? 0);
}
