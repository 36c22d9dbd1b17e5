import type { EventHead } from '@expert-relay/contracts';
import type { Clock } from '@expert-relay/kit/clock';
import { createEntry, type Entry } from '../events/entry.ts';
import { firstRequestOf } from '../events/event-content.ts';
import type { Position } from '../events/position.ts';
import { SeenSequences } from '../events/seen-sequences.ts';
import { Ring } from './ring.ts';
import { TailLoss } from './tail-loss.ts';

/** An event that was read from the stream. */
export interface ReceivedEvent {
  readonly entry: Entry;
  /** Undefined when its bytes are not an event. */
  readonly event: EventHead | undefined;
  /** Whether readers of an earlier generation have had it: see `TailLoss`. */
  readonly isRepeated: boolean;
}

const rememberedRequests = 200_000;

/** The newest events of the stream, and how far this hub has read it. */
export class EventHistory {
  readonly ring: Ring;
  readonly tailLoss: TailLoss;
  /** An event that the stream holds twice is sent once. */
  #seen = new SeenSequences(rememberedRequests);

  constructor(options: { limits: { events: number; bytes: number }; clock: Clock }) {
    this.ring = new Ring(options.limits);
    this.tailLoss = new TailLoss({ ring: this.ring, clock: options.clock });
  }

  get current(): Position {
    return this.ring.current;
  }

  /** False until the stream was reached for the first time. */
  get hasBegun(): boolean {
    return this.current.epoch !== '';
  }

  /** Reads the stream for the first time, from after this position on. */
  begin(floor: Position): void {
    this.ring.restart(floor);
    this.#seen = new SeenSequences(rememberedRequests);
  }

  append(seq: number, bytes: Uint8Array): ReceivedEvent {
    const { entry, event, isNew } = createEntry(bytes, { epoch: this.current.epoch, seq }, this.#seen);
    this.ring.append(entry);
    const request = firstRequestOf(event);
    return {
      entry,
      event,
      isRepeated: request !== undefined && isNew && this.tailLoss.isRepeated(request),
    };
  }

  /** The stream lost every event after this sequence. They will be published again. */
  loseAfter(seq: number): void {
    this.ring.removeAfter(seq);
    this.#beginRecovery(seq + 1);
    for (const entry of this.ring) {
      const request = firstRequestOf(entry.parse());
      if (request) this.#seen.admit(request.requestId, request.seq);
    }
  }

  /** Continues after another position, perhaps of another stream. The events between are not known. */
  restart(floor: Position): void {
    this.ring.restart(floor);
    this.#beginRecovery(floor.seq + 1);
  }

  #beginRecovery(from: number): void {
    this.tailLoss.begin(from, this.#seen);
    this.#seen = new SeenSequences(rememberedRequests);
  }
}
