import type { EventHead } from '@expert-relay/contracts';
import type { Clock } from '@expert-relay/kit/clock';
import type { StoredStreamState } from '@expert-relay/kit/nats';
import { parseEvent } from '../events/event-content.ts';
import { checkOf, noCheck, type Position } from '../events/position.ts';
import type { SeenChanges } from '../events/seen-changes.ts';
import type { NatsStream } from '../nats/nats-stream.ts';
import type { Ring } from './ring.ts';

/*
 * NATS acknowledges an event before it is on disk, so a crash can remove the newest events of its stream (a tail loss) that
 * this hub has sent already. The outbox publishes them again: at other sequences, between new events, in another order.
 *
 *   time     the NATS stream holds
 *   0 s      1a 2b 3c 4d         The hub has sent a, b, c and d.
 *   1 s      1a 2b               NATS is back after a crash. `findLastCommonSequence` gives 2; `startRecovery(3)`: the
 *                                ring ends with b, and a new generation of subscribers begins.
 *   2 s      1a 2b 3d            d is repeated: only subscribers of the new generation get it.
 *   3 s      1a 2b 3d 4e         e is new: all subscribers get it.
 *   4 s      1a 2b 3d 4e 5c      c is repeated.
 *   34 s                         No lost event is missing, and none was repeated for 30 s: recovery has ended.
 *   35 s     1a 2b 3d 4e 5c 6f
 *
 * During recovery a position from 3 on does not say which events its subscriber has: after `3d` or `4e`, one of them has c
 * and another has not. So these positions are unreliable, and resuming from them is answered with `hub.reset`. After
 * recovery, the positions 3 and 4 stay unreliable; 5 and later ones are reliable, since c, d and e are before them.
 *
 * The NATS stream may lose its end again during recovery. A subscriber of the generation that began with the first loss has
 * then received an unknown part of the repeated events, so it is reset (`isUncertain`).
 *
 * A NATS stream that is created again has lost all its events. It is handled in the same way, from its first sequence on, except
 * that no event is awaited: the outbox publishes only those that it has kept.
 */

/** Recovery ends when no event was repeated for this time. The outbox leader looks for lost events every second. */
const quietPeriodMs = 30_000;
/**
 * The same while lost events are missing: an outbox without a leader, or without Postgres, publishes them late. Later than
 * this, hardly a subscriber from before the loss is left, and the outbox may never publish them, such as after a restore.
 */
const missingPeriodMs = 3_600_000;

interface Recovery {
  /** The first sequence whose event was lost. */
  readonly from: number;
  /** The sequence of the newest repeated event. After recovery, positions from there on are reliable. */
  lastRepeated: number;
  /** When that event was received. */
  quietSince: number;
  /** The events that were sent before the loss, and those that were published since. */
  readonly sent: SeenChanges;
  /** The lost events that were not repeated yet. */
  readonly missing: Set<string>;
}

type AboutRequest = Pick<EventHead, 'requestId' | 'seq'>;

const keyOf = ({ requestId, seq }: AboutRequest): string => `${requestId} ${seq}`;

export class TailLoss {
  readonly #ring: Ring;
  readonly #clock: Clock;
  #generation = 0;
  /** The generation whose recovery was interrupted by the newest loss. */
  #interrupted: number | undefined;
  /** The newest recovery. Read it as `#ongoing`, since it may have ended. */
  #recovery: Recovery | undefined;
  /** For each recovery that has ended, the sequences from `from` up to but not including `to`. */
  #unreliable: { from: number; to: number }[] = [];

  constructor(options: { ring: Ring; clock: Clock }) {
    this.#ring = options.ring;
    this.#clock = options.clock;
  }

  /** The number of losses. A subscriber that joined in an earlier generation has received the events that are repeated. */
  get generation(): number {
    return this.#generation;
  }

  get isRecovering(): boolean {
    return this.#ongoing !== undefined;
  }

  /**
   * Whether a loss during recovery makes it unknown which repeated events the subscribers of this generation have received.
   * Those of earlier generations have received all, or were reset at the earlier loss.
   */
  isUncertain(generation: number): boolean {
    return generation === this.#interrupted;
  }

  /** NATS lost its events from a sequence on. `sent` are the events that were sent until now, `lost` the lost ones. */
  startRecovery(from: number, sent: SeenChanges, lost: readonly AboutRequest[]): void {
    const ongoing = this.#ongoing;
    this.#interrupted = ongoing && this.#generation;
    this.#generation++;
    this.#unreliable = this.#unreliable.filter((range) => range.from < from);
    this.#recovery = {
      from: Math.min(from, ongoing?.from ?? from),
      lastRepeated: from,
      quietSince: this.#clock.now(),
      sent: ongoing?.sent ?? sent,
      missing: new Set([...(ongoing?.missing ?? []), ...lost.map(keyOf)]),
    };
  }

  /** Whether a new event of the NATS stream is one that was sent before the loss. Each such event extends the recovery. */
  checkRepeated(position: Position, about: AboutRequest): boolean {
    const recovery = this.#ongoing;
    recovery?.missing.delete(keyOf(about));
    if (!recovery || recovery.sent.add(about.requestId, about.seq)) return false;
    recovery.lastRepeated = position.seq;
    recovery.quietSince = this.#clock.now();
    return true;
  }

  /** Whether a subscriber that resumes from this position misses no event and gets none twice. */
  isReliable({ seq }: Position): boolean {
    const recovery = this.#ongoing;
    if (recovery && seq >= recovery.from) return false;
    return !this.#unreliable.some(({ from, to }) => seq >= from && seq < to);
  }

  /**
   * The position of a subscriber that begins with the next event. Right after a loss the newest position is before the lost
   * events, and a subscriber that resumes from it would get them when they are repeated. So it gets an unreliable position.
   */
  get startPosition(): Position {
    const { current } = this.#ring;
    const recovery = this.#ongoing;
    if (!recovery || current.seq >= recovery.from) return current;
    return { epoch: current.epoch, seq: recovery.from, check: noCheck };
  }

  /**
   * The position in the heartbeats of a live subscriber. There is none during recovery: the newest position is unreliable,
   * and must not replace the subscriber's last one, which may be reliable.
   */
  get heartbeatPosition(): Position | undefined {
    return this.#ongoing ? undefined : this.#ring.current;
  }

  /** The recovery that has not ended. A recovery that is over is moved to `#unreliable` here, at the first use after its end. */
  get #ongoing(): Recovery | undefined {
    const recovery = this.#recovery;
    if (!recovery) return undefined;
    const periodMs = recovery.missing.size > 0 ? missingPeriodMs : quietPeriodMs;
    if (this.#clock.now() - recovery.quietSince >= periodMs) {
      this.#unreliable.push({ from: recovery.from, to: recovery.lastRepeated });
      this.#recovery = undefined;
    }
    return this.#recovery;
  }
}

/**
 * The last sequence up to which the NATS stream still holds the events of the ring; undefined when it holds none of them.
 * The ring and the NATS stream are equal up to some sequence and differ after it, so a binary search finds it.
 */
export async function findLastCommonSequence(
  ring: Ring,
  natsStream: Pick<NatsStream, 'readOne'>,
  { firstSeq, lastSeq }: Pick<StoredStreamState, 'firstSeq' | 'lastSeq'>,
): Promise<number | undefined> {
  const isInStream = async ({ seq, check }: Position): Promise<boolean> => {
    // An event that has expired in the NATS stream was not lost, and cannot be compared.
    if (seq < firstSeq) return true;
    if (seq > lastSeq) return false;
    const bytes = await natsStream.readOne(seq);
    return bytes !== undefined && checkOf(parseEvent(bytes)?.eventId ?? '') === check;
  };

  // The hub has read no event after its start, so there is nothing to compare.
  if (ring.length === 0 && ring.floor.check === noCheck) {
    return ring.floor.seq <= lastSeq ? ring.floor.seq : undefined;
  }
  if (await isInStream(ring.current)) return ring.current.seq;
  let equal = ring.floor.seq;
  let different = ring.current.seq;
  while (different - equal > 1) {
    const middle = Math.floor((equal + different) / 2);
    const entry = ring.at(middle);
    if (entry && (await isInStream(entry))) equal = middle;
    else different = middle;
  }
  if (equal > ring.floor.seq) return equal;
  return ring.floor.check !== noCheck && (await isInStream(ring.floor)) ? equal : undefined;
}
