/** How many changes before a request's newest one are tracked one by one. */
const trackedBelowNewest = 31;
/** `missing` with all of its bits set. */
const allMissing = 2 ** trackedBelowNewest - 1;

/**
 * Recognises events that were seen before, by request and `seq`. An event may be published late, after newer ones of its
 * request, so the changes that were skipped are remembered as missing.
 */
export class SeenChanges {
  readonly #limit: number;
  /** The requests of the newest events. When it is full, it replaces `#older`. */
  #recent = new Map<string, Seen>();
  #older = new Map<string, Seen>();

  /** At least `limit` requests are remembered, and at most twice as many. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds a change of a request. Returns whether it is new. */
  add(requestId: string, seq: number): boolean {
    const known = this.#recent.get(requestId) ?? this.#recall(requestId);
    if (!known) {
      // Everything before it counts as seen: it happened before this hub read the NATS stream.
      this.#remember(requestId, { newest: seq, missing: 0 });
      return true;
    }
    const ahead = seq - known.newest;
    if (ahead > 0) {
      // The changes between the old and the new newest one are missing. The old newest one has been seen.
      const between = 2 ** (ahead - 1) - 1;
      known.missing =
        ahead > trackedBelowNewest ? allMissing : ((known.missing << ahead) | between) & allMissing;
      known.newest = seq;
      return true;
    }
    const bit = ahead === 0 || -ahead > trackedBelowNewest ? 0 : 1 << (-ahead - 1);
    if ((known.missing & bit) === 0) return false;
    known.missing &= ~bit;
    return true;
  }

  #recall(requestId: string): Seen | undefined {
    const known = this.#older.get(requestId);
    if (known) this.#remember(requestId, known);
    return known;
  }

  #remember(requestId: string, seen: Seen): void {
    if (this.#recent.size >= this.#limit) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(requestId, seen);
  }
}

/**
 * Bit n of `missing`: the change whose `seq` is n + 1 below `newest` has not been seen. After 6 and then 9, `newest` is 9 and
 * `missing` is 0b011: 8 and 7 are missing.
 */
interface Seen {
  newest: number;
  missing: number;
}
