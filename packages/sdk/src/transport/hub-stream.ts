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
export interface HubStream {
  readonly topics: ReadonlySet<string>;
  /** The id of the last block: a new connection resumes after it. */
  readonly position: string | undefined;
  readonly isFull: boolean;
  /** Whether the stream has been closed for longer than a reconnect takes. */
  readonly isBlocked: boolean;
  add(topic: string, begin?: TopicBeginning): void;
  remove(topic: string): void;
  stop(): void;
}

export function createHubStream(options: HubStreamOptions): HubStream {
  const { open, timing, backoff, onEvent, onStale } = options;
  const topics = new Set<string>();
  /** Topics whose events are known up to `position`. */
  let covered: ReadonlySet<string> = new Set();
  /** Topics that were added after `position` was received: no event of them can have been missed. */
  const fresh = new Set<string>();
  /** Where the first connection begins for a topic. */
  const starts = new Map<string, string>();
  let position: string | undefined;
  let failures = 0;
  let isRunning = false;
  let isOpen = false;
  let closedAt = 0;
  /** Aborts the connection, or the pause before the next one. */
  let current = new AbortController();
  let isGathering = false;

  /**
   * Reconnects for topics that the connection does not have yet, after a short wait for more of them. A connection
   * without topics in use reconnects at once.
   */
  function gather(): void {
    const carried = [...topics].filter((topic) => covered.has(topic)).length;
    if (isGathering || carried === topics.size) return;
    isGathering = true;
    const wait = carried && timing.gatherMs * Math.min(topics.size, gatherAtMost);
    startTimer(wait, () => {
      isGathering = false;
      if (isOpen) current.abort();
    });
  }

  async function run(): Promise<void> {
    // Topics that are added in this turn of the event loop become part of the first connection.
    await pause(1);
    while (topics.size > 0) {
      current = new AbortController();
      const { signal } = current;
      const wait = await connect([...topics], signal);
      await pause(signal.aborted ? 0 : wait, current.signal).catch(() => {});
    }
    covered = new Set();
    position = undefined;
    fresh.clear();
    starts.clear();
    failures = 0;
    isRunning = false;
  }

  /** Reads until the connection ends. Returns the milliseconds to wait before the next one. */
  async function connect(names: readonly string[], signal: AbortSignal): Promise<number> {
    const asked = new Set(names);
    // The connection starts at the first topic's start; only topics with the same start have missed nothing.
    const lastEventId = position ?? starts.get(names[0] ?? '');
    const isFromStart = (topic: string) => lastEventId !== undefined && starts.get(topic) === lastEventId;
    let retry = 0;
    const opened = () => {
      if (isOpen) return;
      isOpen = true;
      failures = 0;
      const before = covered;
      covered = asked;
      for (const topic of names) {
        if (!before.has(topic) && !fresh.has(topic) && !isFromStart(topic)) onStale(topic);
      }
      gather();
    };
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
            position = id;
            fresh.clear();
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
    const wasOpen = isOpen;
    isOpen = false;
    if (wasOpen) closedAt = performance.now();
    // When the hub did not name a wait: its default.
    if (wasOpen) return retry || 1_000 + backoff(3);
    if (signal.aborted) return 0;
    failures += 1;
    return Math.max(retry, backoff(failures));
  }

  return {
    topics,
    get position() {
      return position;
    },
    get isFull() {
      return topics.size >= maxTopics;
    },
    get isBlocked() {
      return !isOpen && performance.now() - closedAt > timing.pollMs;
    },
    add(topic, { since, start } = {}) {
      topics.add(topic);
      if (start !== undefined) starts.set(topic, start);
      if (since !== undefined && since === position) fresh.add(topic);
      if (isOpen) gather();
      if (isRunning) return;
      isRunning = true;
      closedAt = performance.now();
      void run();
    },
    remove(topic) {
      topics.delete(topic);
      starts.delete(topic);
      if (topics.size === 0) startTimer(idleMs, () => topics.size === 0 && current.abort());
    },
    stop() {
      topics.clear();
      current.abort();
    },
  };
}
