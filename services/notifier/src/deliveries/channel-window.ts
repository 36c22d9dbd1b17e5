import { raw, type Sql } from '@expert-relay/db';
import { windowSeconds } from '../endpoints/channel-form.ts';

const cases = Object.entries(windowSeconds).map(([channel, seconds]) => `WHEN '${channel}' THEN ${seconds}`);

/** `windowSeconds` of the channel of `endpoint` (notification_endpoints), as an interval. */
export const channelWindow: Sql = raw(
  `(CASE endpoint.channel::text ${cases.join(' ')} ELSE 0 END * interval '1 second')`,
);
