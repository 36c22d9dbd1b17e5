import type { Part } from '@expert-relay/kit/lifecycle';
import type { Feed } from '../feed/feed.ts';
import type { Subscriber } from '../stream/subscriber.ts';
import type { From } from './resumption.ts';
import { ScanLane, type ScanLaneOptions } from './scan-lane.ts';

/**
 * Scans of the stream for positions that are older than the ring, in three lanes, so that nobody waits for the scans
 * of a later lane: they run beside its own and yield to them.
 */
export class Scans implements Part {
  readonly name = 'scans';
  readonly #feed: Feed;
  /** At most as far behind the ring as the ring is long, as most readers are that lost their stream: short scans. */
  readonly #near: ScanLane;
  /** Older positions and `earliest`, with a credential: such a scan may read the whole stream. */
  readonly #far: ScanLane;
  /** The same without a credential. */
  readonly #anonymous: ScanLane;

  constructor(options: Omit<ScanLaneOptions, 'name' | 'isYielding'>) {
    this.#feed = options.feed;
    this.#near = new ScanLane({ ...options, name: 'near' });
    this.#far = new ScanLane({ ...options, name: 'far', isYielding: () => this.#near.isBusy });
    this.#anonymous = new ScanLane({
      ...options,
      name: 'anonymous',
      isYielding: () => this.#near.isBusy || this.#far.isBusy,
    });
  }

  add(subscriber: Subscriber, from: From): void {
    const { floor, length } = this.#feed.ring;
    const seq = from === 'earliest' ? 0 : from.seq;
    const farLane = subscriber.credential ? this.#far : this.#anonymous;
    const lane = floor.seq - seq <= length ? this.#near : farLane;
    lane.add({ subscriber, from });
  }

  /** The stream has changed: the positions of all subscribers in a scan are to be checked again. */
  interrupt(): void {
    for (const lane of this.#lanes) lane.interrupt();
  }

  leave(subscriber: Subscriber): void {
    for (const lane of this.#lanes) lane.leave(subscriber);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.stop()));
  }

  get #lanes(): readonly ScanLane[] {
    return [this.#near, this.#far, this.#anonymous];
  }
}
