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
export interface HubStream {
  readonly topics: ReadonlySet<string>;
  /** Where the stream has arrived: what to resume from. */
  readonly position: string | undefined;
  readonly isFull: boolean;
  /** Whether nothing has come through for longer than a reconnect takes. */
  readonly isBlocked: boolean;
  add(topic: string, since: string | undefined): void;
  remove(topic: string): void;
  stop(): void;
}

export function createHubStream(options: HubStreamOptions): HubStream {
  const { open, timing, backoff, onEvent, onStale } = options;
  const topics = new Set<string>();
  /** Topics whose events are known up to `position`. */
  let covered: ReadonlySet<string> = new Set();
  /** Topics that began after `position`, so that nothing of them can have been missed. */
  const fresh = new Set<string>();
  let position: string | undefined;
  let failures = 0;
  let isRunning = false;
  let isOpen = false;
  let closedAt = 0;
  /** Ends the connection, or the pause before the next one. */
  let current = new AbortController();
  let isGathering = false;

  /** Connects anew for topics that the connection does not carry, once no more of them come; an idle one at once. */
  function gather(): void {
    const carried = [...topics].filter((topic) => covered.has(topic)).length;
    if (isGathering || carried === topics.size) return;
    isGathering = true;
    const wait = carried && timing.gather * Math.min(topics.size, gatherAtMost);
    startTimer(wait, () => {
      isGathering = false;
      if (isOpen) current.abort();
    });
  }

  async function run(): Promise<void> {
    // What is added in this turn of the event loop goes into the first connection.
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
    failures = 0;
    isRunning = false;
  }

  /** Listens until the connection ends. Gives how long to wait before the next one. */
  async function connect(names: readonly string[], signal: AbortSignal): Promise<number> {
    const asked = new Set(names);
    let retry = 0;
    const opened = () => {
      if (isOpen) return;
      isOpen = true;
      failures = 0;
      const before = covered;
      covered = asked;
      for (const topic of names) if (!before.has(topic) && !fresh.has(topic)) onStale(topic);
      gather();
    };
    try {
      const lastEventId = position;
      const body = await within(timing.opening, signal, (inTime) =>
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
          onPlace: (id) => {
            opened();
            position = id;
            fresh.clear();
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
    const wasOpen = isOpen;
    isOpen = false;
    if (wasOpen) closedAt = performance.now();
    // Without a word from the hub, as long as it asks its readers to wait by default.
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
      return !isOpen && performance.now() - closedAt > timing.poll;
    },
    add(topic, since) {
      topics.add(topic);
      if (since !== undefined && since === position) fresh.add(topic);
      if (isOpen) gather();
      if (isRunning) return;
      isRunning = true;
      closedAt = performance.now();
      void run();
    },
    remove(topic) {
      topics.delete(topic);
      if (topics.size === 0) startTimer(linger, () => topics.size === 0 && current.abort());
    },
    stop() {
      topics.clear();
      current.abort();
    },
  };
}
