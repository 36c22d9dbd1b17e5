import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '@expert-relay/kit/log';
import type { Feed } from '../feed/feed.ts';
import type { StreamSource } from '../follow/stream-source.ts';
import type { Subscriber } from '../stream/subscriber.ts';
import type { Destination, From, Rider } from './rider.ts';
import { ScanRun } from './scan-run.ts';

/** So many at once are a crowd that reconnects, of which more are on the way. */
const crowd = 10;
/** Readers that lose their stream together come back over two seconds, unless told otherwise: see `jitter`. */
const longestGathering = 2_000;

/**
 * Serves places that are older than the ring by reading the stream from NATS: one scan at a time for everyone, so
 * that a thousand who resume cost one pass. Who comes too late for the scan that is under way waits for the next.
 */
export class Scan {
  readonly #source: StreamSource;
  readonly #feed: Feed;
  readonly #log: Log;
  readonly #destination: () => Destination;
  #waiting: Rider[] = [];
  #run: ScanRun | undefined;
  #loop: Promise<void> | undefined;
  #stopping = new AbortController();

  constructor(options: { source: StreamSource; feed: Feed; log: Log; destination: () => Destination }) {
    this.#source = options.source;
    this.#feed = options.feed;
    this.#log = options.log;
    this.#destination = options.destination;
  }

  add(subscriber: Subscriber, from: From): void {
    if (this.#run?.board({ subscriber, from })) return;
    this.#waiting.push({ subscriber, from });
    this.#loop ??= this.#scanAll().finally(() => {
      this.#loop = undefined;
    });
  }

  /** The stream has changed: whoever rides along is to be looked at anew. */
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
      const riders = this.#waiting.filter(({ subscriber }) => subscriber.isOpen);
      this.#waiting = [];
      const began = performance.now();
      try {
        await this.#scanFor(riders);
        // Whoever resumes over and over again shall not keep this process busy with nothing else.
        await wait(Math.min((performance.now() - began) / 2, 1_000));
      } catch (error) {
        this.#log.warn({ reason: (error as Error).message }, 'older events cannot be read: trying again');
        await wait(500);
      }
    }
  }

  /** Those who reconnect together come one after the other: they shall share a scan. Ends when nobody comes any more. */
  async #gather(wait: (time: number) => Promise<void>): Promise<void> {
    for (let waited = 0, come = 0; come < this.#waiting.length && waited < longestGathering; ) {
      come = this.#waiting.length;
      const lull = come < crowd ? 20 : 100;
      await wait(lull);
      waited += lull;
    }
  }

  async #scanFor(riders: Rider[]): Promise<void> {
    const run = new ScanRun({ feed: this.#feed, destination: this.#destination() });
    try {
      const start = run.admit(riders, await this.#source.look());
      if (start === undefined) return;
      const consumer = await this.#source.open(start);
      this.#run = run;
      const began = performance.now();
      const reason = await run.read(consumer);
      const ms = Math.round(performance.now() - began);
      this.#log.info(
        { riders: riders.length, events: run.events, reason, ms },
        'served older events from NATS',
      );
    } finally {
      this.#run = undefined;
      run.end('over');
    }
  }
}
