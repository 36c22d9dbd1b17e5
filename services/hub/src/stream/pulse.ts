/**
 * One timer for all streams. Each stream has a slot and is visited once in every period, so that heartbeats go
 * out evenly and not to ten thousand streams in the same moment.
 */
export class Pulse<T> {
  readonly #period: number;
  readonly #visit: (members: ReadonlySet<T>) => void;
  readonly #slots: Set<T>[];
  #next = 0;
  #filling = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: { period: number; slots: number; visit: (members: ReadonlySet<T>) => void }) {
    this.#period = options.period;
    this.#visit = options.visit;
    this.#slots = Array.from({ length: options.slots }, () => new Set<T>());
  }

  add(member: T): void {
    this.#slots[this.#filling]?.add(member);
    this.#filling = (this.#filling + 1) % this.#slots.length;
  }

  remove(member: T): void {
    for (const slot of this.#slots) if (slot.delete(member)) return;
  }

  start(): void {
    this.#timer = setInterval(() => {
      const members = this.#slots[this.#next];
      this.#next = (this.#next + 1) % this.#slots.length;
      if (members && members.size > 0) this.#visit(members);
    }, this.#period / this.#slots.length);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
