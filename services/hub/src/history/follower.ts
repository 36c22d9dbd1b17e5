import { setTimeout as pause } from 'node:timers/promises';
import type { Part } from '@expert-relay/kit/lifecycle';
import type { Log } from '@expert-relay/kit/log';
import type { Nats } from '@expert-relay/kit/nats';
import { formatPosition, noCheck, type Position } from '../events/position.ts';
import type { NatsStream, StoredStreamState } from '../nats/nats-stream.ts';
import type { Consumer, StoredMessage } from '../nats/ordered-consumer.ts';
import type { EventHistory, ReceivedEvent } from './event-history.ts';
import { findLastCommonSequence } from './find-last-common-sequence.ts';

const eventsRemoved = 'the stream removed events before they were read';

interface FollowerOptions {
  readonly nats: Nats;
  readonly natsStream: NatsStream;
  readonly history: EventHistory;
  /** How many events are read before the hub is ready, so that most subscribers can resume from memory. */
  readonly initialEvents: number;
  /** Called once, when the history has caught up with the NATS stream for the first time. */
  readonly onCaughtUp: () => void;
  readonly onEvent: (received: ReceivedEvent) => void;
  /** Called when the NATS stream no longer continues the history; `hasGap` if live subscribers may have missed events. */
  readonly onBreak: (change: { hasGap: boolean }) => void;
  readonly log: Log;
}

/**
 * Reads the NATS stream into the history, each event in order. After an outage of NATS it first compares the two.
 */
export class Follower implements Part {
  readonly name = 'follower';
  readonly dependency = { name: 'stream', away: () => this.notReady() };
  readonly #options: FollowerOptions;
  readonly #stopping = new AbortController();
  /** Why the history does not follow the NATS stream; undefined when it does. */
  #notFollowing: string | undefined = 'starting';
  #consumer: Consumer | undefined;
  #loop: Promise<void> | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
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
      // The NATS stream was followed until now, so this is a new failure.
      if (this.#notFollowing === undefined) retryMs = 100;
      if (this.#notFollowing !== reason && !signal.aborted)
        log.warn({ reason }, 'not following NATS: trying again');
      this.#notFollowing = reason;
      await wait(retryMs);
    }
  }

  /** Follows the NATS stream until that is no longer possible. Resolves with the reason. */
  async #follow(): Promise<string> {
    const { natsStream, history } = this.#options;
    const state = await natsStream.readState();
    await this.#alignHistory(state);
    const { epoch, lastSeq } = state;
    const consumer = await natsStream.openConsumer({ epoch, sequence: history.current.sequence + 1 });
    this.#consumer = consumer;
    try {
      if (this.#stopping.signal.aborted) return 'stopping';
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

  /** Sets the history to the newest position up to which it equals the NATS stream. */
  async #alignHistory(state: StoredStreamState): Promise<void> {
    const { natsStream, history, initialEvents, onBreak, log } = this.#options;
    const { epoch, firstSeq, lastSeq } = state;
    const beforeFirst = { epoch, sequence: firstSeq - 1, check: noCheck };
    const beforeNewest = { ...beforeFirst, sequence: Math.max(firstSeq - 1, lastSeq - initialEvents) };
    if (!history.hasCaughtUp) {
      history.restart(beforeNewest);
    } else if (history.current.epoch !== epoch) {
      this.#restart(beforeFirst, 'the NATS stream was created again');
    } else if (history.current.sequence < beforeFirst.sequence) {
      // Without this, the hub would notice the gap only at the next new event.
      this.#restart(beforeFirst, eventsRemoved);
    } else {
      const common = await findLastCommonSequence(history.ring, natsStream, state);
      if (common === undefined) this.#restart(beforeNewest, 'the stream holds other events than before');
      else if (common < history.current.sequence) {
        log.warn(
          { lost: history.current.sequence - common },
          'the stream lost its newest events: waiting for them to be published again',
        );
        history.loseAfter(common);
        onBreak({ hasGap: false });
      }
    }
  }

  #receive({ sequence, bytes }: StoredMessage): void {
    const { history, onEvent } = this.#options;
    const { epoch, sequence: last } = history.current;
    if (sequence > last + 1) this.#restart({ epoch, sequence: sequence - 1, check: noCheck }, eventsRemoved);
    onEvent(history.append(sequence, bytes));
  }

  /** Continues after this position. The events before it are unknown. */
  #restart(floor: Position, reason: string): void {
    const { history, onBreak, log } = this.#options;
    const from = formatPosition(history.current);
    history.restart(floor);
    if (!history.hasCaughtUp) return;
    log.warn({ from, to: formatPosition(floor) }, `${reason}: live streams get hub.reset`);
    onBreak({ hasGap: true });
  }

  #checkCaughtUp(lastSeq: number): void {
    const { history, onCaughtUp, log } = this.#options;
    if (this.#notFollowing === undefined || history.current.sequence < lastSeq) return;
    this.#notFollowing = undefined;
    log.info({ sequence: history.current.sequence }, 'following NATS');
    if (history.hasCaughtUp) return;
    history.setCaughtUp();
    onCaughtUp();
  }
}
