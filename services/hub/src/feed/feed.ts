import type { AboutRequest, EventHead } from '@expert-relay/contracts';
import type { Clock } from '@expert-relay/kit/clock';
import type { Entry } from './entry.ts';
import { noCheck, type Position } from './position.ts';
import { firstOf } from './read-event.ts';
import { Ring } from './ring.ts';
import { SeenSequences } from './seen-sequences.ts';
import { takeIn } from './take-in.ts';

/** Who is told what happens to the feed. */
export interface FeedListener {
  /** `repeated`: who has been here since before the stream lost this event, has had it already. */
  onEntry(entry: Entry, event: EventHead | undefined, repeated: boolean): void;
  /** The stream holds something else than we delivered; `complete` unless events may have been missed. */
  onBreak(complete: boolean): void;
}

/** After a loss in NATS, this long without a repetition means that all has been published again. */
const settling = 30_000;
const rememberedRequests = 200_000;

/** What this hub knows of the stream: its newest events and where it stands. */
export class Feed {
  readonly ring: Ring;
  readonly #clock: Clock;
  readonly #listener: FeedListener;
  #timeline = 0;
  /** What the stream holds twice is dropped for everyone. */
  #seen = new SeenSequences(rememberedRequests);
  /**
   * From a break until all is settled: what we delivered before it and since. The lost events come again, at
   * other places and perhaps in another order, so that a place reached meanwhile says nothing sure about them.
   */
  #unsettled: { from: number; quietSince: number; delivered: SeenSequences } | undefined;
  #doubtful: { from: number; to: number } | undefined;

  constructor(options: {
    limits: { events: number; bytes: number };
    clock: Clock;
    listener: FeedListener;
  }) {
    this.ring = new Ring(options.limits);
    this.#clock = options.clock;
    this.#listener = options.listener;
  }

  get current(): Position {
    return this.ring.current;
  }

  /** False until the stream was first seen. */
  get hasBegun(): boolean {
    return this.current.epoch !== '';
  }

  /** Grows with every break. Who was here before it has had the events that come again after it. */
  get timeline(): number {
    return this.#timeline;
  }

  /** Where the stream is first read from. */
  begin(floor: Position): void {
    this.ring.restart(floor);
    this.#seen = new SeenSequences(rememberedRequests);
  }

  append(seq: number, bytes: Uint8Array): void {
    const { entry, event, isNew } = takeIn(this.#seen, { epoch: this.current.epoch, seq }, bytes);
    this.ring.append(entry);
    const told = firstOf(event);
    this.#listener.onEntry(entry, event, told !== undefined && isNew && this.#isRepeated(told));
  }

  /** The stream lost everything after this sequence. What it lost is published again. */
  cutBack(seq: number): void {
    this.ring.cutAfter(seq);
    this.#break(seq + 1);
    for (const entry of this.ring) {
      const told = firstOf(entry.read());
      if (told) this.#seen.admit(told.requestId, told.seq);
    }
    this.#listener.onBreak(true);
  }

  /** The feed goes on after another place, perhaps of another stream, and what is between is not known. */
  restart(floor: Position): void {
    this.ring.restart(floor);
    this.#break(floor.seq + 1);
    this.#listener.onBreak(false);
  }

  /** Whether places can be told at the moment, or lost events may still come again. */
  get isSettled(): boolean {
    if (this.#unsettled && this.#clock.now() - this.#unsettled.quietSince >= settling) {
      this.#doubtful = { from: this.#unsettled.from, to: this.current.seq };
      this.#unsettled = undefined;
    }
    return this.#unsettled === undefined;
  }

  /** Whether going on from this place neither loses nor repeats an event. */
  isSure({ seq }: Position): boolean {
    if (!this.isSettled && this.#unsettled) return seq < this.#unsettled.from;
    return !this.#doubtful || seq < this.#doubtful.from || seq >= this.#doubtful.to;
  }

  /** What is told to a subscriber as its place: after a break one that is known to be unsure. */
  get place(): Position {
    const { epoch, seq } = this.current;
    if (this.isSettled || !this.#unsettled || seq >= this.#unsettled.from) return this.current;
    return { epoch, seq: this.#unsettled.from, check: noCheck };
  }

  #break(from: number): void {
    this.#timeline++;
    this.#unsettled = {
      from: Math.min(from, this.#unsettled?.from ?? from),
      quietSince: this.#clock.now(),
      delivered: this.#unsettled?.delivered ?? this.#seen,
    };
    this.#doubtful = undefined;
    this.#seen = new SeenSequences(rememberedRequests);
  }

  #isRepeated({ requestId, seq }: AboutRequest): boolean {
    if (!this.#unsettled || this.#unsettled.delivered.admit(requestId, seq)) return false;
    this.#unsettled.quietSince = this.#clock.now();
    return true;
  }
}
