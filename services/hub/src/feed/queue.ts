/** An array that is as quick to take from in front as at its end. */
export class Queue<T> {
  #items: T[];
  /** How many at the front are gone already; they are dropped together, so that each costs little. */
  #gone = 0;

  constructor(...items: T[]) {
    this.#items = items;
  }

  get length(): number {
    return this.#items.length - this.#gone;
  }

  get first(): T | undefined {
    return this.at(0);
  }

  get last(): T | undefined {
    return this.at(this.length - 1);
  }

  at(index: number): T | undefined {
    return index < 0 ? undefined : this.#items[this.#gone + index];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  pop(): T | undefined {
    return this.length === 0 ? undefined : this.#items.pop();
  }

  shift(): T | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#gone];
    this.#gone++;
    if (this.#gone * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#gone);
      this.#gone = 0;
    }
    return item;
  }

  /** A copy of up to `limit` items from an index on. */
  slice(index: number, limit = this.length): T[] {
    return this.#items.slice(this.#gone + index, this.#gone + index + limit);
  }

  clear(): void {
    this.#items = [];
    this.#gone = 0;
  }
}
