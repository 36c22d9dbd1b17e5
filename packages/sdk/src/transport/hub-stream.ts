import type { Timing } from '../client-options.ts';
import type { Api } from './api.ts';
import type { OpenStream } from './open-stream.ts';
import { createBlockReader, readStream } from './read-stream.ts';
import { isObject, type Members, parseJson } from './shape.ts';
import { pause, startTimer, withTimeout } from './waiting.ts';

export interface HubStreamOptions {
  readonly open: OpenStream;
  readonly timing: Timing;
  readonly backoff: Api['backoff'];
  /** An event of one of these topics. It does not name the topic. */
  readonly onEvent: (event: Members, topics: ReadonlySet<string>) => void;
  readonly onStale: (topic: string) => void;
}

/** The hub's limit for one stream. */
const maxTopics = 100;
/** A longer wait that a hub asks for is shortened to this. */
const maxRetryMs = 120_000;
/** How long a stream without topics stays open for the next one. */
const idleMs = 100;
/** The wait for further topics grows with the number of topics, up to this number. */
const gatherAtMost = 25;

/** Positions before the first event of a topic. */
export interface TopicBeginning {
  /** That of the stream before the topic existed. While it is the newest one, no event of the topic was missed. */
  readonly since?: string | undefined;
  /** Where a stream begins that has no position yet. */
  readonly start?: string | undefined;
}

/** One connection for up to a hundred topics, kept open while there are any. */
export class HubStream {
  readonly #options: HubStreamOptions;
  readonly #topics = new Set<string>();
  /** Topics whose events are known up to `#position`. */
  #covered: ReadonlySet<string> = new Set();
  /** Topics that were added after `#position` was received: no event of them can have been missed. */
  readonly #fresh = new Set<string>();
  /** Where the first connection begins for a topic. */
  readonly #starts = new Map<string, string>();
  #position: string | undefined;
  #failures = 0;
  #isRunning = false;
  #isOpen = false;
  #closedAt = 0;
  /** Aborts the connection, or the pause before the next one. */
  #current = new AbortController();
  #isGathering = false;

  constructor(options: HubStreamOptions) {
    this.#options = options;
  }

  get topics(): ReadonlySet<string> {
    return this.#topics;
  }
  /** The id of the last block: a new connection resumes after it. */
  get position(): string | undefined {
    return this.#position;
  }
  get isFull(): boolean {
    return this.#topics.size >= maxTopics;
  }
  /** Whether the stream has been closed for longer than a reconnect takes. */
  get isBlocked(): boolean {
    return !this.#isOpen && performance.now() - this.#closedAt > this.#options.timing.pollMs;
  }

  add(topic: string, { since, start }: TopicBeginning = {}): void {
    this.#topics.add(topic);
    if (start !== undefined) this.#starts.set(topic, start);
    if (since !== undefined && since === this.#position) this.#fresh.add(topic);
    if (this.#isOpen) this.#gather();
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#closedAt = performance.now();
    void this.#run();
  }

  remove(topic: string): void {
    this.#topics.delete(topic);
    this.#starts.delete(topic);
    if (this.#topics.size === 0) startTimer(idleMs, () => this.#topics.size === 0 && this.#current.abort());
  }

  stop(): void {
    this.#topics.clear();
    this.#current.abort();
  }

  /**
   * Reconnects for topics that the connection does not have yet, after a short wait for more of them. A connection
   * without topics in use reconnects at once.
   */
  #gather(): void {
    const { size } = this.#topics;
    const carried = [...this.#topics].filter((topic) => this.#covered.has(topic)).length;
    if (this.#isGathering || carried === size) return;
    this.#isGathering = true;
    startTimer(carried && this.#options.timing.gatherMs * Math.min(size, gatherAtMost), () => {
      this.#isGathering = false;
      if (this.#isOpen) this.#current.abort();
    });
  }

  async #run(): Promise<void> {
    // Topics that are added in this turn of the event loop become part of the first connection.
    await pause(1);
    while (this.#topics.size > 0) {
      this.#current = new AbortController();
      const { signal } = this.#current;
      const wait = await this.#connect([...this.#topics], signal);
      await pause(signal.aborted ? 0 : wait, this.#current.signal).catch(() => {});
    }
    this.#covered = new Set();
    this.#position = undefined;
    this.#fresh.clear();
    this.#starts.clear();
    this.#failures = 0;
    this.#isRunning = false;
  }

  /** Reads until the connection ends. Returns the milliseconds to wait before the next one. */
  async #connect(names: readonly string[], signal: AbortSignal): Promise<number> {
    const { open, timing, backoff, onEvent, onStale } = this.#options;
    const asked = new Set(names);
    // The connection starts at the first topic's start; only topics with the same start have missed nothing.
    const lastEventId = this.#position ?? this.#starts.get(names[0] ?? '');
    let retry = 0;
    const opened = () => this.#noteOpened(asked, lastEventId);
    try {
      const body = await withTimeout(timing.openingMs, signal, (inTime) =>
        open({ topics: names, lastEventId, signal: inTime }),
      );
      await readStream(
        body,
        createBlockReader({
          onEvent: (name, data) => {
            if (name === 'hub.end') return;
            opened();
            if (name === 'hub.reset') for (const topic of names) onStale(topic);
            else if (name === 'message') {
              const event = parseJson(data);
              onEvent(isObject(event) ? event : {}, asked);
            }
          },
          onPosition: (id) => {
            opened();
            this.#position = id;
            this.#fresh.clear();
          },
          onRetry: (wait) => {
            retry = Math.min(wait, maxRetryMs);
          },
        }),
        timing.openingMs,
        timing.silenceMs,
        signal,
      );
    } catch {
      // After any error, the stream is opened again.
    }
    const wasOpen = this.#isOpen;
    this.#isOpen = false;
    if (wasOpen) this.#closedAt = performance.now();
    // When the hub did not name a wait: its default.
    if (wasOpen) return retry || 1_000 + backoff(3);
    if (signal.aborted) return 0;
    this.#failures += 1;
    return Math.max(retry, backoff(this.#failures));
  }

  #noteOpened(asked: ReadonlySet<string>, lastEventId: string | undefined): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#failures = 0;
    const before = this.#covered;
    this.#covered = asked;
    const isFromStart = (topic: string) =>
      lastEventId !== undefined && this.#starts.get(topic) === lastEventId;
    for (const topic of asked) {
      if (!before.has(topic) && !this.#fresh.has(topic) && !isFromStart(topic)) this.#options.onStale(topic);
    }
    this.#gather();
  }
}
