import { Prisma } from '../generated/client.ts';

/**
 * The part of a statement that moves the rows of expired requests in `request_stages`. It stands in a `WITH`
 * beside the change of the requests, called `ended`, which returns their `request_id` and `expires_at`.
 *
 * Every other change of a request is followed by a trigger. One row at a time it would be half of what an
 * expiry costs.
 */
export const moveExpired = Prisma.sql`
  UPDATE request_stages SET stage = 'ended' FROM ended
  WHERE stage = 'open' AND at = ended.expires_at AND request_stages.request_id = ended.request_id`;
