import { setTimeout as pause } from 'node:timers/promises';
import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import type { Nats } from '@expert-relay/kit/nats';
import { Events } from 'nats';
import { formatPosition, noCheck } from '../events/position.ts';
import type { Consumer, StreamMessage } from '../nats/consumer.ts';
import type { StreamSource, StreamState } from '../nats/stream-source.ts';
import type { EventHistory, ReceivedEvent } from './event-history.ts';
import { findLastCommonSequence } from './tail-loss.ts';

interface FollowerOptions {
  readonly nats: Nats;
  readonly source: StreamSource;
  readonly history: EventHistory;
  /** How many events are read before the hub is ready, so that most readers can resume from memory. */
  readonly initialEvents: number;
  /** Runs each time before the stream is read. */
  readonly prepare: () => Promise<void>;
  /** The history has caught up with the stream for the first time. */
  readonly onCaughtUp: () => void;
  readonly onEvent: (received: ReceivedEvent) => void;
  /** The stream no longer holds all events of the history; `hasGap` if live readers may have missed some. */
  readonly onBreak: (change: { hasGap: boolean }) => void;
  readonly log: Log;
}

/**
 * Reads the stream into the history, each event once and in order, through every outage of NATS. Before it reads again, it
 * compares the stream with the history.
 */
export class Follower implements Part {
  readonly name = 'follower';
  readonly dependency = { name: 'stream', away: () => this.notReady() };
  readonly #options: FollowerOptions;
  readonly #stopping = new AbortController();
  /** Why the history does not follow the stream; undefined when it does. */
  #notFollowing: string | undefined = 'starting';
  #hasCaughtUp = false;
  #consumer: Consumer | undefined;
  #loop: Promise<void> | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
    options.nats.onConnection(async (connection) => {
      for await (const status of connection.status()) {
        if (status.type === Events.Reconnect) this.#consumer?.end('the connection to NATS was opened again');
      }
    });
  }

  notReady(): string | undefined {
    return this.#options.nats.connected ? this.#notFollowing : 'NATS is away';
  }

  async start(): Promise<void> {
    this.#loop = this.#followUntilStopped();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#consumer?.end('stopping');
    await this.#loop;
  }

  async #followUntilStopped(): Promise<void> {
    const { nats, log } = this.#options;
    const { signal } = this.#stopping;
    const wait = (ms: number) => pause(ms, undefined, { signal }).catch(() => {});
    for (let retryMs = 100; !signal.aborted; retryMs = Math.min(retryMs * 2, 1_000)) {
      while (!nats.connected && !signal.aborted) await wait(50);
      const reason = await this.#follow().catch((error: Error) => error.message);
      if (this.#notFollowing === undefined) retryMs = 100;
      if (this.#notFollowing !== reason && !signal.aborted)
        log.warn({ reason }, 'not following NATS: trying again');
      this.#notFollowing = reason;
      await wait(retryMs);
    }
  }

  /** Resolves with the reason when it cannot go on. */
  async #follow(): Promise<string> {
    const { source, history, prepare } = this.#options;
    const state = await source.readState();
    await prepare();
    await this.#alignHistory(state);
    const consumer = await source.openConsumer(history.current.seq + 1);
    this.#consumer = consumer;
    try {
      if (this.#stopping.signal.aborted) return 'stopping';
      const { epoch, lastSeq } = await source.readState();
      if (epoch !== state.epoch) return 'the stream was created again';
      consumer.start((message) => {
        this.#receive(message);
        this.#checkCaughtUp(lastSeq);
      });
      this.#checkCaughtUp(lastSeq);
      return await consumer.ended;
    } finally {
      consumer.end('finished');
      this.#consumer = undefined;
    }
  }

  /** Sets the history to the newest position at which it equals the stream. */
  async #alignHistory(state: StreamState): Promise<void> {
    const { source, history, initialEvents, log } = this.#options;
    const { epoch, firstSeq, lastSeq } = state;
    const { current } = history;
    const newest = { epoch, seq: Math.max(firstSeq, lastSeq + 1 - initialEvents) - 1, check: noCheck };
    if (!this.#hasCaughtUp) {
      history.begin(newest);
      return;
    }
    if (current.epoch !== epoch) {
      log.warn(
        { from: formatPosition(current), to: state },
        'the stream was created again: live streams get hub.reset, since they may have missed events',
      );
      this.#restart({ epoch, seq: firstSeq - 1, check: noCheck });
      return;
    }
    const common = await findLastCommonSequence(history.ring, source, state);
    if (common === undefined) {
      log.warn(
        { from: formatPosition(current), to: state },
        'the stream holds other events than before: live streams get hub.reset, since they may have missed events',
      );
      this.#restart(newest);
    } else if (common < current.seq) {
      log.warn(
        { lost: current.seq - common },
        'the stream lost its newest events: waiting for them to be published again',
      );
      history.loseAfter(common);
      this.#options.onBreak({ hasGap: false });
    }
  }

  #receive({ seq, bytes }: StreamMessage): void {
    const { history, onEvent, log } = this.#options;
    const { epoch, seq: last } = history.current;
    if (seq > last + 1) {
      const floor = { epoch, seq: seq - 1, check: noCheck };
      if (this.#hasCaughtUp) {
        log.warn(
          { missing: seq - 1 - last },
          'the stream removed events before they were read: live streams get hub.reset',
        );
        this.#restart(floor);
      } else history.begin(floor);
    }
    onEvent(history.append(seq, bytes));
  }

  #restart(floor: { epoch: string; seq: number; check: string }): void {
    this.#options.history.restart(floor);
    this.#options.onBreak({ hasGap: true });
  }

  #checkCaughtUp(lastSeq: number): void {
    const { history, onCaughtUp, log } = this.#options;
    if (this.#notFollowing === undefined || history.current.seq < lastSeq) return;
    this.#notFollowing = undefined;
    log.info({ seq: history.current.seq }, 'following NATS');
    if (this.#hasCaughtUp) return;
    this.#hasCaughtUp = true;
    onCaughtUp();
  }
}
