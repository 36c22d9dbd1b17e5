import type { EventHead } from '@expert-relay/contracts';
import type { Clock } from '@expert-relay/kit/clock';
import { createEntry, type Entry } from '../events/entry.ts';
import { recordedAtOf } from '../events/event-content.ts';
import type { Position } from '../events/position.ts';
import { SeenChanges } from '../events/seen-changes.ts';
import { Ring } from './ring.ts';
import { TailLoss } from './tail-loss.ts';

/** An event that was read from the NATS stream. */
export interface ReceivedEvent {
  readonly entry: Entry;
  /** Undefined when its bytes are not an event. */
  readonly event: EventHead | undefined;
  /** In milliseconds since 1970, by the database's clock. Undefined when its bytes do not say it. */
  readonly recordedAt: number | undefined;
  /** Whether subscribers of an earlier generation have received it: see `TailLoss`. */
  readonly isRepeated: boolean;
}

const rememberedRequests = 200_000;
/** The clocks of the hub and of the database differ by less than this. */
const clockToleranceMs = 60_000;

/** The newest events of the NATS stream, and how far this hub has read it. */
export class EventHistory {
  readonly ring: Ring;
  readonly tailLoss: TailLoss;
  readonly #clock: Clock;
  /** The events in the NATS stream so far: one that it holds twice is sent once. */
  #seen = new SeenChanges(rememberedRequests);
  #hasCaughtUp = false;

  constructor(options: { limits: { events: number; bytes: number }; clock: Clock }) {
    this.#clock = options.clock;
    this.ring = new Ring(options.limits);
    this.tailLoss = new TailLoss({ ring: this.ring, clock: options.clock });
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

  /**
   * Whether each event that was recorded since this time, in milliseconds since 1970, is in memory or is yet to come. After
   * a tail loss it is not known which of them come.
   */
  hasAllSince(time: number): boolean {
    return !this.tailLoss.isRecovering && this.ring.hasAllSince(time);
  }

  append(seq: number, bytes: Uint8Array): ReceivedEvent {
    const { entry, event, isNew } = createEntry(bytes, { epoch: this.current.epoch, seq }, this.#seen);
    const recordedAt = recordedAtOf(event);
    this.ring.append(entry, recordedAt);
    const isRepeated = Boolean(event?.requestId && isNew && this.tailLoss.checkRepeated(entry, event));
    return { entry, event, recordedAt, isRepeated };
  }

  /** The NATS stream lost every event after this sequence. They will be published again. */
  loseAfter(seq: number): void {
    // A duplicate has no topics: the NATS stream holds its event a second time.
    const lost = [...this.ring].filter((entry) => entry.seq > seq && entry.topics.length > 0);
    this.ring.removeAfter(seq);
    this.ring.noteMissing(this.#latestUntilNow);
    this.#expectRepeats(seq + 1, lost);
    for (const entry of this.ring) {
      const event = entry.parse();
      if (event?.requestId) this.#seen.add(event.requestId, event.seq);
    }
  }

  /** Continues after another position, perhaps of another NATS stream. The events between the two positions are unknown. */
  restart(floor: Position): void {
    // Nothing is missing before the first event, unless this NATS stream replaces another one.
    const isWhole = floor.seq === 0 && !this.#hasCaughtUp;
    this.ring.restart(floor, isWhole ? Number.NEGATIVE_INFINITY : this.#latestUntilNow);
    this.#expectRepeats(floor.seq + 1);
  }

  /** No event that was published until now can have been recorded later. */
  get #latestUntilNow(): number {
    return this.#clock.now() + clockToleranceMs;
  }

  /** Events that were sent may be published again, from this sequence on; the lost ones surely. */
  #expectRepeats(from: number, lost: readonly Entry[] = []): void {
    const requests = lost.flatMap((entry) => entry.parse() ?? []);
    // Before the hub has caught up, nothing was sent.
    if (this.#hasCaughtUp) this.tailLoss.startRecovery(from, this.#seen, requests);
    this.#seen = new SeenChanges(rememberedRequests);
  }
}
