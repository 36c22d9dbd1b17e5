import { type Clock, systemClock } from '../clock/index.ts';
import { networkOf } from './client-address.ts';
import { createWindowCounter } from './create-window-counter.ts';

/** The level of a log line about a client whose calls no other limit bounds. */
export type LineLevel = (client: string) => 'info' | 'debug';

const linesPerMinute = { ofClient: 120, ofAll: 6_000 };

/**
 * A client can make thousands of calls a second that are refused, or that have no limit, such as those for assets. Beyond a number
 * of lines in a minute they are written at `debug`, so that neither one client nor many fill a disk.
 */
export function createLineLevel(clock: Clock = systemClock): LineLevel {
  const countOfClient = createWindowCounter({ limit: linesPerMinute.ofClient, clock });
  const countOfAll = createWindowCounter({ limit: linesPerMinute.ofAll, clock });
  return (client) =>
    countOfClient(networkOf(client)).left >= 0 && countOfAll('all').left >= 0 ? 'info' : 'debug';
}
