import { get, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { readBlocks } from '@expert-relay/testkit';
import type { Random } from '../plan/random.ts';

/** The events that a reader received between two resets, in order. */
export interface Segment {
  /** The position that the hub sent with the reset; undefined before the first reset. */
  readonly after?: string;
  readonly events: Delivery[];
}

export interface Delivery {
  readonly data: string;
  readonly at: number;
}

/** What a reader received. */
export interface ReaderLog {
  readonly topics: readonly string[];
  readonly segments: readonly Segment[];
  readonly reconnects: number;
  /** Responses that no fault explains. */
  readonly unexpected: readonly string[];
}

/** A reader that reconnects to any hub with its last position, whenever its stream ends. */
export interface ResumingReader extends ReaderLog {
  /** Its current position. Another reader may resume from there. */
  readonly position: string;
  /** Whether it has received anything on its stream. */
  readonly isOpen: boolean;
  /** Ends its connection. The reader reconnects. */
  drop(): void;
  stop(): Promise<void>;
}

/** Heartbeats come every second, so a stream without data for this time is considered broken. */
const timeoutMs = 4_000;

export function openResumingReader(options: {
  hubUrls: readonly string[];
  topics: readonly string[];
  apiKey?: string;
  random: Random;
  /** The first position; the earliest event by default. */
  from?: string;
  /** Whether it disconnects every few seconds, as phones and browser tabs do. */
  leavesOften: boolean;
}): ResumingReader {
  const { hubUrls, topics, apiKey, random, from = 'earliest', leavesOften } = options;
  const segments: Segment[] = [{ events: [] }];
  const unexpected: string[] = [];
  let lastEventId = from;
  let reconnects = -1;
  let isOpen = false;
  let stopped = false;
  let isLeaving = false;
  let drop = () => {};

  function connect(): Promise<IncomingMessage> {
    const url = new URL(random.pick(hubUrls));
    for (const topic of topics) url.searchParams.append('topic', topic);
    // A position is sent as a header, as EventSource does; "earliest" is only allowed in the URL.
    if (lastEventId === 'earliest') url.searchParams.set('lastEventId', lastEventId);
    const headers = {
      accept: 'text/event-stream',
      ...(lastEventId === 'earliest' ? {} : { 'last-event-id': lastEventId }),
      ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
    };
    return new Promise((resolve, reject) => {
      const call = get(url, { headers, agent: false, timeout: timeoutMs }, resolve);
      call.on('error', reject);
      call.on('timeout', () => call.destroy(new Error('no data')));
      drop = () => call.destroy();
    });
  }

  async function read(): Promise<void> {
    const response = await connect();
    if (response.statusCode !== 200) {
      response.resume();
      if (response.statusCode !== 503) unexpected.push(`a hub responded with ${response.statusCode}`);
      return;
    }
    for await (const { id, event = 'message', data } of readBlocks(response)) {
      isOpen = true;
      if (id !== undefined) lastEventId = id;
      if (event === 'hub.reset') segments.push({ after: lastEventId, events: [] });
      if (event === 'message' && data !== undefined) segments.at(-1)?.events.push({ data, at: Date.now() });
    }
  }

  function leave(): void {
    isLeaving = true;
    drop();
  }

  async function follow(): Promise<void> {
    while (!stopped) {
      reconnects++;
      isLeaving = false;
      const leaveTimer = leavesOften ? setTimeout(leave, random.integer(300, 3_500)) : undefined;
      await read().catch(() => {});
      clearTimeout(leaveTimer);
      // After a failure the reader waits a little; after `leave` it reconnects at once.
      if (!stopped && !isLeaving) await pause(random.integer(20, 300));
    }
  }

  const following = follow();
  return {
    topics,
    segments,
    unexpected,
    get reconnects() {
      return reconnects;
    },
    get position() {
      return lastEventId;
    },
    get isOpen() {
      return isOpen;
    },
    drop: leave,
    async stop() {
      stopped = true;
      drop();
      await following;
    },
  };
}
