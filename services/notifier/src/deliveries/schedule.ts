import { raw, type Sql } from '@expert-relay/db';

const minute = 60;
const hour = 60 * minute;

/** Seconds before the second and each later attempt: the table of Standard Webhooks 1.0, ten attempts in about 75 hours. */
const pauses = [5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];

export const maxAttempts = pauses.length + 1;

/** The longest `Retry-After` that is respected. */
export const maxRetryAfterSeconds = 24 * hour;

/** Up to this part of a pause is added to it, so that what failed together is not repeated together. */
const jitter = 0.1;

/** The pause after the `attempts` of a delivery, as an interval. `chance`, from 0 to 1, is for the jitter. */
export const pauseAfter = (attempts: string, chance: string): Sql =>
  raw(
    `((ARRAY[${pauses.join(', ')}])[LEAST(${attempts}, ${pauses.length})] * (1 + ${jitter} * ${chance}) * interval '1 second')`,
  );
