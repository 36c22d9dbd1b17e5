import { get, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { readBlocks } from '@expert-relay/testkit';
import type { Random } from '../plan/random.ts';

/** What a reader got between two resets, in order. */
export interface Stretch {
  /** The position that the hub began it with after a reset; nothing before the first. */
  readonly after?: string;
  readonly events: Delivery[];
}

export interface Delivery {
  readonly data: string;
  readonly at: number;
}

/** What a subscriber got. */
export interface ReaderLog {
  readonly topics: readonly string[];
  readonly stretches: readonly Stretch[];
  readonly reconnects: number;
  /** Refusals that no fault explains. */
  readonly oddities: readonly string[];
}

/** A subscriber that comes back with its last position, to any hub, however its stream ended. */
export interface ResumingReader extends ReaderLog {
  /** Up to where it has read: another reader may go on from there. */
  readonly position: string;
  /** Whether it has heard from a hub that its stream is open. */
  readonly isOpen: boolean;
  /** Breaks its connection off; it comes back by itself. */
  drop(): void;
  stop(): Promise<void>;
}

/** Heartbeats come every second: who hears nothing for so long takes the stream for dead. */
const patience = 4_000;

export function openReader(options: {
  hubUrls: readonly string[];
  topics: readonly string[];
  apiKey?: string;
  random: Random;
  /** Where it begins; at the first event there is when not given. */
  from?: string;
  /** Whether it goes away by itself every other second, as phones and tabs do. */
  isFickle: boolean;
}): ResumingReader {
  const { hubUrls, topics, apiKey, random, from = 'earliest', isFickle } = options;
  const stretches: Stretch[] = [{ events: [] }];
  const oddities: string[] = [];
  let lastEventId = from;
  let reconnects = -1;
  let isOpen = false;
  let stopped = false;
  let leaves = false;
  let drop = () => {};

  function connect(): Promise<IncomingMessage> {
    const url = new URL(random.pick(hubUrls));
    for (const topic of topics) url.searchParams.append('topic', topic);
    // A position goes as a header, as EventSource sends it; "earliest" can only be asked for in the address.
    if (lastEventId === 'earliest') url.searchParams.set('lastEventId', lastEventId);
    const headers = {
      accept: 'text/event-stream',
      ...(lastEventId === 'earliest' ? {} : { 'last-event-id': lastEventId }),
      ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
    };
    return new Promise((resolve, reject) => {
      const call = get(url, { headers, agent: false, timeout: patience }, resolve);
      call.on('error', reject);
      call.on('timeout', () => call.destroy(new Error('silence')));
      drop = () => call.destroy();
    });
  }

  async function read(): Promise<void> {
    const response = await connect();
    if (response.statusCode !== 200) {
      response.resume();
      if (response.statusCode !== 503) oddities.push(`a hub answered ${response.statusCode}`);
      return;
    }
    for await (const { id, event = 'message', data } of readBlocks(response)) {
      isOpen = true;
      if (id !== undefined) lastEventId = id;
      if (event === 'hub.reset') stretches.push({ after: lastEventId, events: [] });
      if (event === 'message' && data !== undefined) stretches.at(-1)?.events.push({ data, at: Date.now() });
    }
  }

  function leave(): void {
    leaves = true;
    drop();
  }

  async function follow(): Promise<void> {
    while (!stopped) {
      reconnects++;
      leaves = false;
      const fickle = isFickle ? setTimeout(leave, random.integer(300, 3_500)) : undefined;
      await read().catch(() => {});
      clearTimeout(fickle);
      // Who was cut off waits a little, and who left comes back at once.
      if (!stopped && !leaves) await pause(random.integer(20, 300));
    }
  }

  const following = follow();
  return {
    topics,
    stretches,
    oddities,
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
