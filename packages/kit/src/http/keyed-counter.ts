/** Counts up and down for each key. A key takes memory only while its count is not 0. */
export class KeyedCounter {
  readonly #counts = new Map<string, number>();

  /** The number of keys whose count is not 0. */
  get size(): number {
    return this.#counts.size;
  }

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** Returns the new count. */
  add(key: string, change: number): number {
    const count = this.of(key) + change;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
    return count;
  }
}
