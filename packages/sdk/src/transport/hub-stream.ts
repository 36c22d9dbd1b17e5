import type { Timing } from '../client-options.ts';
import type { Api } from './api.ts';
import type { OpenStream } from './open-stream.ts';
import { parseJson } from './parse-json.ts';
import { pause } from './pause.ts';
import { createBlockReader } from './read-blocks.ts';
import { readStream } from './read-stream.ts';
import { isObject, type Members } from './shape.ts';
import { startTimer } from './timer.ts';
import { within } from './within.ts';

export interface HubStreamOptions {
  readonly open: OpenStream;
  readonly timing: Timing;
  readonly backoff: Api['backoff'];
  /** An event of one of these topics: it does not say of which. */
  readonly onEvent: (event: Members, topics: ReadonlySet<string>) => void;
  readonly onStale: (topic: string) => void;
}

/** The hub takes as many topics on one stream. */
const maxTopics = 100;
/** No hub sends anybody away for longer than this. */
const longestRetry = 120_000;
/** How long a stream without topics is kept for the next one. */
const linger = 100;
/** Beyond so many topics, new ones wait no longer than this many do. */
const gatherAtMost = 25;

/** One connection that carries up to a hundred topics, held for as long as there are any. */
export class HubStream {
  readonly #options: HubStreamOptions;
  readonly #topics = new Set<string>();
  /** Topics whose events are known up to `#place`. */
  #covered: ReadonlySet<string> = new Set();
  /** Topics that began after `#place`, so that nothing of them can have been missed. */
  readonly #new = new Set<string>();
  #place: string | undefined;
  #failures = 0;
  #isRunning = false;
  #isOpen = false;
  #closedAt = 0;
  /** Ends the connection, or the pause before the next one. */
  #current = new AbortController();
  #gathering: (() => void) | undefined;

  constructor(options: HubStreamOptions) {
    this.#options = options;
  }

  get topics(): ReadonlySet<string> {
    return this.#topics;
  }

  get place(): string | undefined {
    return this.#place;
  }

  get isFull(): boolean {
    return this.#topics.size >= maxTopics;
  }

  /** Whether nothing has come through for longer than a reconnect takes. */
  get isBlocked(): boolean {
    return !this.#isOpen && performance.now() - this.#closedAt > this.#options.timing.poll;
  }

  add(topic: string, since: string | undefined): void {
    this.#topics.add(topic);
    if (since !== undefined && since === this.#place) this.#new.add(topic);
    if (this.#isOpen) this.#gather();
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#closedAt = performance.now();
    void this.#run();
  }

  remove(topic: string): void {
    this.#topics.delete(topic);
    if (this.#topics.size === 0) startTimer(linger, () => this.#topics.size === 0 && this.#current.abort());
  }

  stop(): void {
    this.#topics.clear();
    this.#current.abort();
  }

  /** Connects anew for topics that the connection does not carry, once no more of them come; an idle one at once. */
  #gather(): void {
    const carried = [...this.#topics].filter((topic) => this.#covered.has(topic)).length;
    if (carried === this.#topics.size) return;
    const wait = carried && this.#options.timing.gather * Math.min(this.#topics.size, gatherAtMost);
    this.#gathering ??= startTimer(wait, () => {
      this.#gathering = undefined;
      if (this.#isOpen) this.#current.abort();
    });
  }

  async #run(): Promise<void> {
    // What is added in this turn of the event loop goes into the first connection.
    await pause(1);
    while (this.#topics.size > 0) {
      this.#current = new AbortController();
      const { signal } = this.#current;
      const wait = await this.#connect([...this.#topics], signal);
      await pause(signal.aborted ? 0 : wait, this.#current.signal).catch(() => {});
    }
    this.#covered = new Set();
    this.#place = undefined;
    this.#new.clear();
    this.#failures = 0;
    this.#isRunning = false;
  }

  /** Listens until the connection ends. Gives how long to wait before the next one. */
  async #connect(topics: readonly string[], signal: AbortSignal): Promise<number> {
    const { open, timing, backoff, onEvent, onStale } = this.#options;
    const asked = new Set(topics);
    let retry = 0;
    const opened = () => {
      if (this.#isOpen) return;
      this.#isOpen = true;
      this.#failures = 0;
      const covered = this.#covered;
      this.#covered = asked;
      for (const topic of topics) if (!covered.has(topic) && !this.#new.has(topic)) onStale(topic);
      this.#gather();
    };
    try {
      const lastEventId = this.#place;
      const body = await within(timing.opening, signal, (inTime) =>
        open({ topics, lastEventId, signal: inTime }),
      );
      await readStream(
        body,
        createBlockReader({
          onEvent: (name, data) => {
            if (name === 'hub.end') return;
            opened();
            if (name === 'hub.reset') for (const topic of topics) onStale(topic);
            else if (name === 'message') {
              const event = parseJson(data);
              onEvent(isObject(event) ? event : {}, asked);
            }
          },
          onPlace: (id) => {
            opened();
            this.#place = id;
            this.#new.clear();
          },
          onRetry: (wait) => {
            retry = Math.min(wait, longestRetry);
          },
        }),
        timing.opening,
        timing.silence,
        signal,
      );
    } catch {
      // A stream that breaks is opened again, whatever broke it.
    }
    const wasOpen = this.#isOpen;
    this.#isOpen = false;
    if (wasOpen) this.#closedAt = performance.now();
    // Without a word from the hub, as long as it asks its readers to wait by default.
    if (wasOpen) return retry || 1_000 + backoff(3);
    if (signal.aborted) return 0;
    this.#failures += 1;
    return Math.max(retry, backoff(this.#failures));
  }
}
