import type { AboutRequest } from '@expert-relay/contracts';
import type { Clock } from '@expert-relay/kit/clock';
import { parseEvent } from '../events/event-content.ts';
import { checkOf, noCheck, type Position } from '../events/position.ts';
import type { SeenSequences } from '../events/seen-sequences.ts';
import type { StreamSource, StreamState } from '../nats/stream-source.ts';
import type { Ring } from './ring.ts';

/*
 * NATS acknowledges an event before it is on disk, so a crash can remove the newest events of the stream (a tail loss) that
 * this hub has sent already. The outbox publishes them again: at other sequences, between new events, in another order.
 *
 *   time     the stream holds
 *   0 s      1a 2b 3c 4d         The hub has sent a, b, c and d.
 *   1 s      1a 2b               NATS is back after a crash. `findLastCommonSequence` gives 2; `begin(3)`: the ring
 *                                ends with b, and a new generation of readers begins.
 *   2 s      1a 2b 3d            d is repeated: only readers of the new generation get it.
 *   3 s      1a 2b 3d 4e         e is new: all readers get it.
 *   4 s      1a 2b 3d 4e 5c      c is repeated.
 *   34 s                         No event was repeated for 30 s: recovery has ended.
 *   35 s     1a 2b 3d 4e 5c 6f
 *
 * During recovery a position from 3 on does not say which events its reader has: after `3d` or `4e`, one reader has c and
 * another has not. So these positions are unreliable, and resuming from them is answered with `hub.reset`. After
 * recovery, the positions from 3 to 4 stay unreliable; 5 and later ones are reliable, since c, d and e are before them.
 *
 * A stream that is created again has lost all its events, and is treated alike, from its first sequence on.
 */

/** Recovery ends when no event was repeated for this time. */
const quietPeriodMs = 30_000;

export class TailLoss {
  readonly #ring: Ring;
  readonly #clock: Clock;
  #generation = 0;
  /** Set during recovery. `sent` has what was sent before the loss, and what was published since. */
  #recovery: { from: number; quietSince: number; sent: SeenSequences } | undefined;
  /** For each recovery that has ended, the sequences from `from` up to but not including `to`. */
  #unreliable: { from: number; to: number }[] = [];

  constructor(options: { ring: Ring; clock: Clock }) {
    this.#ring = options.ring;
    this.#clock = options.clock;
  }

  /** The number of losses. A reader that joined in an earlier generation has had the events that are repeated. */
  get generation(): number {
    return this.#generation;
  }

  get isRecovering(): boolean {
    const { seq } = this.#ring.current;
    if (this.#recovery && this.#clock.now() - this.#recovery.quietSince >= quietPeriodMs) {
      this.#unreliable.push({ from: this.#recovery.from, to: seq });
      this.#recovery = undefined;
    }
    return this.#recovery !== undefined;
  }

  /** The stream lost its events from a sequence on. `sent` are the events that were sent until now. */
  begin(from: number, sent: SeenSequences): void {
    this.#generation++;
    this.#recovery = {
      from: Math.min(from, this.#recovery?.from ?? from),
      quietSince: this.#clock.now(),
      sent: this.#recovery?.sent ?? sent,
    };
    this.#unreliable = this.#unreliable.filter((range) => range.from < from);
  }

  /** Whether an event that the stream holds since the loss was sent before it. */
  isRepeated({ requestId, seq }: AboutRequest): boolean {
    if (!this.#recovery || this.#recovery.sent.admit(requestId, seq)) return false;
    this.#recovery.quietSince = this.#clock.now();
    return true;
  }

  /** Whether a reader that resumes from this position misses no event and gets none twice. */
  isReliable({ seq }: Position): boolean {
    if (this.isRecovering && this.#recovery && seq >= this.#recovery.from) return false;
    return !this.#unreliable.some(({ from, to }) => seq >= from && seq < to);
  }

  /**
   * The newest position, for heartbeats and the like. Right after a loss it is before the lost events, which some readers
   * have had: they get an unreliable one instead.
   */
  get positionForReaders(): Position {
    const { current } = this.#ring;
    if (!this.isRecovering || !this.#recovery || current.seq >= this.#recovery.from) return current;
    return { epoch: current.epoch, seq: this.#recovery.from, check: noCheck };
  }
}

/**
 * The last sequence up to which the stream still holds the events of the ring; undefined when it holds none of them.
 * The ring and the stream are equal up to some sequence and differ after it, so a binary search finds it.
 */
export async function findLastCommonSequence(
  ring: Ring,
  source: Pick<StreamSource, 'readOne'>,
  { firstSeq, lastSeq }: Pick<StreamState, 'firstSeq' | 'lastSeq'>,
): Promise<number | undefined> {
  const isInStream = async ({ seq, check }: Position): Promise<boolean> => {
    // An event that has expired in the stream was not lost, and cannot be compared.
    if (seq < firstSeq) return true;
    if (seq > lastSeq) return false;
    const bytes = await source.readOne(seq);
    return bytes !== undefined && checkOf(parseEvent(bytes)?.eventId ?? '') === check;
  };

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
