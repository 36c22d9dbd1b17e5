import { setTimeout as pause } from 'node:timers/promises';
import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import type { Nats } from '@expert-relay/kit/nats';
import { Events } from 'nats';
import type { Feed } from '../feed/feed.ts';
import { formatPosition, noCheck } from '../feed/position.ts';
import { findCommonEnd } from './find-common-end.ts';
import type { Consumer, StreamMessage } from './open-consumer.ts';
import type { StreamSource, StreamState } from './stream-source.ts';

export interface Follower extends Part {
  /** Whether the feed has ever been level with the stream, so that subscribers can be served from it. */
  readonly hasFollowed: boolean;
}

/**
 * Brings the stream's events to the feed, each once and in order, through every loss of NATS. Whenever it has to
 * begin again it first compares what the stream holds with what was delivered from it.
 */
export function createFollower(options: {
  nats: Nats;
  source: StreamSource;
  feed: Feed;
  /** How many events are read before the hub is ready, so that most who resume are served from memory. */
  fill: number;
  /** Hears once that the feed is level with the stream for the first time. */
  onLevel: () => void;
  /** Runs before the events are followed, each time anew. */
  prepare: () => Promise<void>;
  log: Log;
}): Follower {
  const { nats, source, feed, log } = options;
  const stopping = new AbortController();
  let trouble: string | undefined = 'starting';
  let hasFollowed = false;
  let consumer: Consumer | undefined;
  let loop: Promise<void> | undefined;

  async function run(): Promise<void> {
    const rest = (time: number) => pause(time, undefined, { signal: stopping.signal }).catch(() => {});
    for (let wait = 100; !stopping.signal.aborted; wait = Math.min(wait * 2, 1_000)) {
      while (!nats.connected && !stopping.signal.aborted) await rest(50);
      const reason = await follow().catch((error: Error) => error.message);
      if (trouble === undefined) wait = 100;
      if (trouble !== reason && !stopping.signal.aborted)
        log.warn({ reason }, 'not following NATS: trying again');
      trouble = reason;
      await rest(wait);
    }
  }

  /** Resolves with the reason when following has come to an end. */
  async function follow(): Promise<string> {
    const state = await source.look();
    await options.prepare();
    await takeUp(state);
    consumer = await source.open(feed.current.seq + 1);
    try {
      if (stopping.signal.aborted) return 'stopping';
      const { epoch, lastSeq } = await source.look();
      if (epoch !== state.epoch) return 'the stream was made anew';
      consumer.begin((message) => {
        take(message);
        checkLevel(lastSeq);
      });
      checkLevel(lastSeq);
      return await consumer.ended;
    } finally {
      consumer.end('over');
      consumer = undefined;
    }
  }

  /** Puts the feed to where the stream and what was delivered agree. */
  async function takeUp(state: StreamState): Promise<void> {
    const { epoch, firstSeq, lastSeq } = state;
    const { current } = feed;
    if (!hasFollowed) {
      feed.begin({ epoch, seq: Math.max(firstSeq, lastSeq + 1 - options.fill) - 1, check: noCheck });
      return;
    }
    if (current.epoch !== epoch) {
      log.warn(
        { from: formatPosition(current), to: state },
        'the stream was made anew: subscribers are told that events may be missing',
      );
      feed.restart({ epoch, seq: firstSeq - 1, check: noCheck });
      return;
    }
    const common = await findCommonEnd(feed.ring, source, state);
    if (common === undefined) {
      log.warn(
        { from: formatPosition(current), to: state },
        'the stream holds other events: subscribers are told that some may be missing',
      );
      feed.restart({ epoch, seq: Math.max(firstSeq, lastSeq + 1 - options.fill) - 1, check: noCheck });
    } else if (common < current.seq) {
      log.warn(
        { lost: current.seq - common },
        'the stream lost its newest events: waiting for them to be published again',
      );
      feed.cutBack(common);
    }
  }

  function take({ seq, bytes }: StreamMessage): void {
    const { epoch, seq: last } = feed.current;
    if (seq > last + 1) {
      const floor = { epoch, seq: seq - 1, check: noCheck };
      if (hasFollowed) {
        log.warn({ missing: seq - 1 - last }, 'the stream dropped events before they were read here');
        feed.restart(floor);
      } else feed.begin(floor);
    }
    feed.append(seq, bytes);
  }

  function checkLevel(lastSeq: number): void {
    if (trouble === undefined || feed.current.seq < lastSeq) return;
    trouble = undefined;
    log.info({ seq: feed.current.seq }, 'following NATS');
    if (hasFollowed) return;
    hasFollowed = true;
    options.onLevel();
  }

  const whyNotFollowing = () => (nats.connected ? trouble : 'NATS is away');

  nats.onConnection(async (connection) => {
    for await (const status of connection.status()) {
      if (status.type === Events.Reconnect) consumer?.end('the connection to NATS was made anew');
    }
  });

  return {
    name: 'follower',
    get hasFollowed() {
      return hasFollowed;
    },
    dependency: { name: 'stream', away: whyNotFollowing },
    notReady: whyNotFollowing,
    async start() {
      loop = run();
    },
    async stop() {
      stopping.abort();
      consumer?.end('stopping');
      await loop;
    },
  };
}
