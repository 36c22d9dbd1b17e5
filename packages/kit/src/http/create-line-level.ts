import { type Clock, systemClock } from '../clock/index.ts';
import { siteOf } from './client-address.ts';
import { createWindowCounter } from './create-window-counter.ts';

/** The level of a log line about a client whose calls no other limit bounds. */
export type LineLevel = (client: string) => 'info' | 'debug';

const linesPerMinute = 120;

/**
 * A client can make thousands of calls a second that are refused, or that have no limit, such as those for assets. Beyond a number
 * of lines in a minute they are written at `debug`, so that no client fills a disk. An IPv6 /48 counts as one client.
 */
export function createLineLevel(clock: Clock = systemClock): LineLevel {
  const count = createWindowCounter({ limit: linesPerMinute, clock });
  return (client) => (count(siteOf(client) ?? client).left >= 0 ? 'info' : 'debug');
}
