import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '@expert-relay/kit/log';
import type { Feed } from '../feed/feed.ts';
import type { StreamSource } from '../follow/stream-source.ts';
import type { Subscriber } from '../stream/subscriber.ts';
import type { Destination, Resumption } from './resumption.ts';
import type { ScanBudget } from './scan-budget.ts';
import { ScanRun } from './scan-run.ts';

/** From so many waiting subscribers on it is a crowd that reconnects, of which more are on the way. */
const crowd = 10;
/** Readers that lose their stream together reconnect within two seconds, unless told otherwise: see `jitter`. */
const longestGatheringMs = 2_000;
/** The longest pause between two scans of a lane. */
const longestRestMs = 1_000;

export interface ScanLaneOptions {
  readonly name: string;
  readonly source: Pick<StreamSource, 'look' | 'open'>;
  readonly feed: Feed;
  readonly budget: ScanBudget;
  readonly log: Log;
  readonly destination: () => Destination;
  /** While it is true, this lane's scans rest for half of the time. */
  readonly isYielding?: () => boolean;
}

/**
 * Reads the stream from NATS for subscribers whose position is older than the ring: one scan at a time for all of
 * them, so that a thousand who resume together cost one pass. A subscriber whose position the current scan has
 * passed waits for the next one.
 */
export class ScanLane {
  readonly #options: ScanLaneOptions;
  #waiting: Resumption[] = [];
  #run: ScanRun | undefined;
  #isScanning = false;
  /** The holders that were counted since the last scan began: see `ScanBudget`. */
  #counted = new Set<string>();
  #loop: Promise<void> | undefined;
  readonly #stopping = new AbortController();

  constructor(options: ScanLaneOptions) {
    this.#options = options;
  }

  /** Whether it reads, or is about to. */
  get isBusy(): boolean {
    return this.#isScanning || this.#waiting.length > 0;
  }

  add(resumption: Resumption): void {
    const { budget, destination } = this.#options;
    if (!budget.admits(resumption.subscriber, this.#counted)) {
      destination().reset(resumption.subscriber);
      return;
    }
    if (this.#run?.join(resumption)) return;
    this.#waiting.push(resumption);
    this.#loop ??= this.#scanAll().finally(() => {
      this.#loop = undefined;
    });
  }

  /** The stream has changed: the positions of all subscribers in the scan are to be checked again. */
  interrupt(): void {
    this.#run?.end('the stream changed');
  }

  leave(subscriber: Subscriber): void {
    this.#run?.leave(subscriber);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#run?.end('stopping');
    await this.#loop;
  }

  async #scanAll(): Promise<void> {
    const { signal } = this.#stopping;
    const wait = (time: number) => pause(time, undefined, { signal }).catch(() => {});
    await this.#gather(wait);
    while (this.#waiting.length > 0 && !signal.aborted) {
      const began = performance.now();
      try {
        await this.#scan();
        // Subscribers that resume over and over do not keep this process busy with nothing else.
        await wait(Math.min((performance.now() - began) / 2, longestRestMs));
      } catch (error) {
        this.#options.log.warn(
          { reason: (error as Error).message },
          'older events cannot be read: trying again',
        );
        await wait(500);
      }
    }
  }

  /** Readers that reconnect together arrive one after the other, and share a scan: waits until no more arrive. */
  async #gather(wait: (time: number) => Promise<void>): Promise<void> {
    for (let waited = 0, arrived = 0; arrived < this.#waiting.length && waited < longestGatheringMs; ) {
      arrived = this.#waiting.length;
      const lull = arrived < crowd ? 20 : 100;
      await wait(lull);
      waited += lull;
    }
  }

  /** One scan for all that wait. If NATS cannot be asked, they go on waiting. */
  async #scan(): Promise<void> {
    const { name, source, feed, log, destination, isYielding } = this.#options;
    const state = await source.look();
    const resumptions = this.#waiting.filter(({ subscriber }) => subscriber.isOpen);
    this.#waiting = [];
    this.#counted.clear();
    this.#isScanning = true;
    const run = new ScanRun({ feed, destination: destination() });
    try {
      const start = run.begin(resumptions, state);
      if (start === undefined) return;
      const consumer = await source.open(start, isYielding);
      this.#run = run;
      const began = performance.now();
      const reason = await run.read(consumer);
      const ms = Math.round(performance.now() - began);
      const readers = resumptions.length;
      log.info({ lane: name, readers, events: run.events, reason, ms }, 'served older events from NATS');
    } finally {
      this.#run = undefined;
      this.#isScanning = false;
      run.end('over');
    }
  }
}
