/**
 * One timer for all streams. Each stream has a slot and is visited once in a period, so that heartbeats are spread evenly
 * and are not sent to ten thousand streams at once. Without streams, the timer does not wake the process.
 */
export class HeartbeatTimer<T> {
  readonly #periodMs: number;
  readonly #visit: (members: ReadonlySet<T>) => void;
  readonly #slots: Set<T>[];
  #slotToVisit = 0;
  #slotToFill = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStarted = false;
  #count = 0;

  constructor(options: { periodMs: number; slots: number; visit: (members: ReadonlySet<T>) => void }) {
    this.#periodMs = options.periodMs;
    this.#visit = options.visit;
    this.#slots = Array.from({ length: options.slots }, () => new Set<T>());
  }

  add(member: T): void {
    this.#slots[this.#slotToFill]?.add(member);
    this.#slotToFill = (this.#slotToFill + 1) % this.#slots.length;
    this.#count++;
    if (this.#isStarted) this.#timer ??= this.#startTimer();
  }

  remove(member: T): void {
    for (const slot of this.#slots) {
      if (!slot.delete(member)) continue;
      this.#count--;
      if (this.#count === 0) this.#stopTimer();
      return;
    }
  }

  start(): void {
    this.#isStarted = true;
    if (this.#count > 0) this.#timer ??= this.#startTimer();
  }

  stop(): void {
    this.#isStarted = false;
    this.#stopTimer();
  }

  #startTimer(): NodeJS.Timeout {
    return setInterval(() => {
      const members = this.#slots[this.#slotToVisit];
      this.#slotToVisit = (this.#slotToVisit + 1) % this.#slots.length;
      if (members && members.size > 0) this.#visit(members);
    }, this.#periodMs / this.#slots.length);
  }

  #stopTimer(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
