import type { EventHead } from '@expert-relay/contracts';
import type { Clock } from '@expert-relay/kit/clock';
import { createEntry, type Entry } from '../events/entry.ts';
import { recordedAtOf } from '../events/event-content.ts';
import type { Position } from '../events/position.ts';
import { Ring } from './ring.ts';

/** An event that was read from the NATS stream. */
export interface ReceivedEvent {
  readonly entry: Entry;
  /** Undefined when its bytes are not an event. */
  readonly event: EventHead | undefined;
  /** In milliseconds since 1970, by the database's clock. Undefined when its bytes do not say it. */
  readonly recordedAt: number | undefined;
}

/** The clocks of the hub and of the database differ by less than this. */
const clockToleranceMs = 60_000;

/** The newest events of the NATS stream, and how far this hub has read it. */
export class EventHistory {
  readonly ring: Ring;
  readonly #clock: Clock;
  #hasCaughtUp = false;

  constructor(options: { limits: { events: number; bytes: number }; clock: Clock }) {
    this.#clock = options.clock;
    this.ring = new Ring(options.limits);
  }

  /** The position of the newest event that was read. */
  get current(): Position {
    return this.ring.current;
  }

  /** Whether the NATS stream was ever reached, so that its epoch is known. */
  get hasReachedStream(): boolean {
    return this.current.epoch !== '';
  }

  /** Whether the newest event of the NATS stream was ever read. Until then no subscriber gets an event. */
  get hasCaughtUp(): boolean {
    return this.#hasCaughtUp;
  }

  setCaughtUp(): void {
    this.#hasCaughtUp = true;
  }

  /** Whether each event that was recorded since this time, in milliseconds since 1970, is in memory or is yet to come. */
  hasAllSince(time: number): boolean {
    return this.ring.hasAllSince(time);
  }

  append(sequence: number, bytes: Uint8Array): ReceivedEvent {
    const { entry, event } = createEntry(bytes, { epoch: this.current.epoch, sequence });
    const recordedAt = recordedAtOf(event);
    this.ring.append(entry, recordedAt);
    return { entry, event, recordedAt };
  }

  /**
   * The NATS stream lost every event after this sequence: NATS acknowledges an event before it is on disk, so a crash can remove
   * the newest ones. The outbox publishes them again, at other sequences and between new events, so streams get them twice. A
   * position of a lost event has another check than the event that is at its sequence now.
   */
  loseAfter(sequence: number): void {
    this.ring.removeAfter(sequence);
    this.ring.noteMissing(this.#latestUntilNow);
  }

  /** Continues after another position, perhaps of another NATS stream. The events between the two positions are unknown. */
  restart(floor: Position): void {
    // Nothing is missing before the first event, unless this NATS stream replaces another one.
    const isWhole = floor.sequence === 0 && !this.#hasCaughtUp;
    this.ring.restart(floor, isWhole ? Number.NEGATIVE_INFINITY : this.#latestUntilNow);
  }

  /** No event that was published until now can have been recorded later. */
  get #latestUntilNow(): number {
    return this.#clock.now() + clockToleranceMs;
  }
}
