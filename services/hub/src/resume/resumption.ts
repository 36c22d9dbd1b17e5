import type { Position } from '../feed/position.ts';
import type { Subscriber } from '../stream/subscriber.ts';

/** Where a subscriber wants to go on: after a position, or with the oldest event that is kept. */
export type From = Position | 'earliest';

/** A subscriber that needs older events than the ring has. */
export interface Resumption {
  readonly subscriber: Subscriber;
  readonly from: From;
}

/** Takes the subscribers that leave a scan. */
export interface Destination {
  /** Goes on from this position, in memory or in a later scan. */
  resume(subscriber: Subscriber, from: From): void;
  /** The events after its position cannot be had. */
  reset(subscriber: Subscriber): void;
}
