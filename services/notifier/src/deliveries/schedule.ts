import { raw, type Sql } from '@expert-relay/db';

const minute = 60;
const hour = 60 * minute;

/**
 * Seconds before the second and each later attempt: the table of Standard Webhooks 1.0, ten attempts in about 75 hours. Deliveries
 * to people are repeated by it too.
 */
const pauses = [5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];

/** If `pauses` gets shorter, each delivery that waits with so many attempts fails at its next claim. */
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

/** Before a delivery is tried again after a fault of this service, which does not count as an attempt. */
export const pauseAfterFault = raw(`interval '5 minutes'`);

/*
 * An endpoint that has failed for this time and at least so often, without a success between, is switched off. The failures are
 * those of all its deliveries: the attempts of a single one usually end before this time. So is one whose
 * address is refused when so many deliveries have failed for good. All emails go through the one server of the relay: if it has taken
 * none meanwhile, it is away or has something against the relay, and the addresses stay on.
 */
export const failingLimit = raw(`interval '5 days'`);
export const failuresLimit = 10;
export const refusalsLimit = 3;
