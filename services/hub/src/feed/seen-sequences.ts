/** How many places before a request's newest one are told apart. */
const reach = 31;

/**
 * Tells the first time that an event of a request comes from every further time. An older event may come late
 * (one that could not be published for a while), so places that were skipped are remembered as open.
 */
export class SeenSequences {
  readonly #limit: number;
  /** Those that were heard of lately. Once they are enough, the older ones are forgotten and these become the older. */
  #recent = new Map<string, Seen>();
  #older = new Map<string, Seen>();

  /** So many requests are remembered at least, and twice as many at most. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether this is the first time; from then on it has been seen. */
  admit(requestId: string, seq: number): boolean {
    const known = this.#recent.get(requestId) ?? this.#recall(requestId);
    if (!known) {
      // Whatever came before is taken as seen: it happened before this hub looked.
      this.#remember(requestId, { newest: seq, missing: 0 });
      return true;
    }
    const ahead = seq - known.newest;
    if (ahead > 0) {
      // The places between are open, and the newest until now is a seen one among them.
      const between = ahead > reach ? -1 >>> 1 : 2 ** (ahead - 1) - 1;
      known.missing = ahead > reach ? between : ((known.missing << ahead) | between) & (-1 >>> 1);
      known.newest = seq;
      return true;
    }
    const bit = ahead === 0 || -ahead > reach ? 0 : 1 << (-ahead - 1);
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

/** Bit n of `missing`: the place n + 1 before the newest has not been seen. */
interface Seen {
  newest: number;
  missing: number;
}
