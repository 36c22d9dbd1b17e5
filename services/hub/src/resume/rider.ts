import type { Position } from '../feed/position.ts';
import type { Subscriber } from '../stream/subscriber.ts';

/** Where a subscriber wants to go on: after a place, or with the oldest event that is kept. */
export type From = Position | 'earliest';

/** Who waits for older events than the ring has. */
export interface Rider {
  readonly subscriber: Subscriber;
  readonly from: From;
}

/** What becomes of those who rode along in a scan. */
export interface Destination {
  /** Goes on from this place, in memory or in a later scan. */
  resume(subscriber: Subscriber, from: From): void;
  /** Its place is gone. */
  reset(subscriber: Subscriber): void;
}
