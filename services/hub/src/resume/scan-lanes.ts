import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '@expert-relay/kit/log';
import type { ResumeFrom } from '../events/position.ts';
import type { EventHistory } from '../history/event-history.ts';
import type { NatsStream } from '../nats/nats-stream.ts';
import type { Consumer } from '../nats/ordered-consumer.ts';
import type { Subscriber } from '../sse/subscriber.ts';
import { Scan, type ScanDestination, type ScanRequest } from './scan.ts';
import type { ScanLimit } from './scan-limit.ts';

/** When this number of subscribers wait, they probably lost their streams together, and more of them will arrive. */
const burstSize = 10;
/** By default, subscribers that lose their streams together reconnect within two seconds of each other: see `jitter`. */
const longestGatherMs = 2_000;
/** The longest pause between two scans of a lane. */
const longestPauseMs = 1_000;
const retryMs = 500;

interface ScanLanesOptions {
  readonly natsStream: Pick<NatsStream, 'readState' | 'openConsumer'>;
  readonly history: EventHistory;
  readonly limit: ScanLimit;
  readonly log: Log;
  readonly destination: ScanDestination;
}

/**
 * Scans of the NATS stream for positions that are older than the ring. They run in three lanes beside each other, and a lane
 * yields to the lanes before it, so no subscriber waits for the scans of a later lane.
 */
export class ScanLanes {
  readonly #history: EventHistory;
  /** For positions at most one ring length older than the ring, as most subscribers have that lost their stream. Short scans. */
  readonly #near: ScanLane;
  /** For older positions and `earliest`, with a credential. Such a scan may read the whole NATS stream. */
  readonly #far: ScanLane;
  /** The same for streams without a credential. */
  readonly #anonymous: ScanLane;

  constructor(options: ScanLanesOptions) {
    this.#history = options.history;
    this.#near = new ScanLane('near', options, () => false);
    this.#far = new ScanLane('far', options, () => this.#near.isBusy);
    this.#anonymous = new ScanLane('anonymous', options, () => this.#near.isBusy || this.#far.isBusy);
  }

  add(subscriber: Subscriber, from: ResumeFrom): void {
    const { floor, length } = this.#history.ring;
    const sequence = from === 'earliest' ? 0 : from.sequence;
    const farLane = subscriber.credential ? this.#far : this.#anonymous;
    const lane = floor.sequence - sequence <= length ? this.#near : farLane;
    lane.add({ subscriber, from });
  }

  /** The NATS stream no longer continues the history: ends the scans, whose subscribers' positions must be checked again. */
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

/**
 * One scan at a time for all subscribers of the lane, so that a thousand that resume together cost one pass. A
 * subscriber whose position the current scan has passed waits for the next one.
 */
class ScanLane {
  readonly #name: string;
  readonly #options: ScanLanesOptions;
  /** While it is true, this lane's scans pause for half of the time. */
  readonly #isYielding: () => boolean;
  #waiting: ScanRequest[] = [];
  #scan: Scan | undefined;
  /** The credentials and addresses that were counted since the last scan began: see `ScanLimit`. */
  readonly #counted = new Set<string>();
  #loop: Promise<void> | undefined;
  readonly #stopping = new AbortController();

  constructor(name: string, options: ScanLanesOptions, isYielding: () => boolean) {
    this.#name = name;
    this.#options = options;
    this.#isYielding = isYielding;
  }

  /** Whether it scans, or is about to. */
  get isBusy(): boolean {
    return this.#scan !== undefined || this.#waiting.length > 0;
  }

  add(request: ScanRequest): void {
    const { limit, destination } = this.#options;
    if (!limit.admits(request.subscriber, this.#counted)) {
      destination.reset(request.subscriber);
      return;
    }
    if (this.#scan?.join(request)) return;
    this.#waiting.push(request);
    this.#loop ??= this.#scanAll();
  }

  interrupt(): void {
    this.#scan?.end('the stream changed');
  }

  leave(subscriber: Subscriber): void {
    this.#scan?.leave(subscriber);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#scan?.end('stopping');
    await this.#loop;
  }

  async #scanAll(): Promise<void> {
    await this.#gather();
    let failure: string | undefined;
    while (this.#waiting.length > 0 && !this.#stopping.signal.aborted) {
      const began = performance.now();
      try {
        await this.#scanOnce();
        failure = undefined;
        // A pause, so that subscribers that resume again and again do not occupy this process.
        await this.#wait(Math.min((performance.now() - began) / 2, longestPauseMs));
      } catch (error) {
        const reason = (error as Error).message;
        if (reason !== failure)
          this.#options.log.warn({ reason }, 'older events cannot be read: trying again');
        failure = reason;
        await this.#wait(retryMs);
      }
    }
    // In the same turn as the last check of `#waiting`, so that no subscriber is added in between.
    this.#loop = undefined;
  }

  /** Subscribers that reconnect together arrive one by one: waits until no more arrive, so that they share a scan. */
  async #gather(): Promise<void> {
    let waitedMs = 0;
    let known = 0;
    while (this.#waiting.length > known && waitedMs < longestGatherMs) {
      known = this.#waiting.length;
      const waitMs = known < burstSize ? 20 : 100;
      await this.#wait(waitMs);
      waitedMs += waitMs;
    }
  }

  /** Runs one scan for all waiting subscribers. Throws if NATS does not respond; then they continue to wait. */
  async #scanOnce(): Promise<void> {
    const { natsStream, history, log, destination } = this.#options;
    const stream = await natsStream.readState();
    // Subscribers would get `hub.reset` now, and again when the follower notices the new NATS stream.
    if (stream.epoch !== history.current.epoch) throw new Error('the stream was created again');
    const requests = this.#waiting.filter(({ subscriber }) => subscriber.isOpen);
    this.#waiting = [];
    this.#counted.clear();
    const scan = new Scan({ history, destination, stream });
    this.#scan = scan;
    let consumer: Consumer | undefined;
    try {
      const sequence = scan.prepare(requests);
      if (sequence === undefined) return;
      const { epoch } = stream;
      consumer = await natsStream.openConsumer({ epoch, sequence, isYielding: this.#isYielding });
      const began = performance.now();
      const reason = await scan.read(consumer);
      const ms = Math.round(performance.now() - began);
      log.info(
        { lane: this.#name, subscribers: requests.length, events: scan.events, reason, ms },
        'served older events from NATS',
      );
    } finally {
      this.#scan = undefined;
      consumer?.end('finished');
      scan.end('finished');
    }
  }

  #wait(ms: number): Promise<void> {
    return pause(ms, undefined, { signal: this.#stopping.signal }).catch(() => {});
  }
}
