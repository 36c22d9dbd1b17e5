/** How many places before a request's newest one are told apart. */
const reach = 31;

/**
 * Tells the first time that an event of a request comes from every further time. An older event may come late
 * (one that could not be published for a while), so places that were skipped are remembered as open.
 */
export class SeenSequences {
  readonly #limit: number;
  /** Bit n of `missing`: the place n + 1 before the newest has not been seen. The least recent requests go first. */
  readonly #requests = new Map<string, { newest: number; missing: number }>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether this is the first time; from then on it has been seen. */
  admit(requestId: string, seq: number): boolean {
    const known = this.#requests.get(requestId);
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
      this.#requests.delete(requestId);
      this.#remember(requestId, known);
      return true;
    }
    const bit = ahead === 0 || -ahead > reach ? 0 : 1 << (-ahead - 1);
    if ((known.missing & bit) === 0) return false;
    known.missing &= ~bit;
    return true;
  }

  clear(): void {
    this.#requests.clear();
  }

  #remember(requestId: string, known: { newest: number; missing: number }): void {
    this.#requests.set(requestId, known);
    if (this.#requests.size <= this.#limit) return;
    const [oldest] = this.#requests.keys();
    if (oldest !== undefined) this.#requests.delete(oldest);
  }
}
