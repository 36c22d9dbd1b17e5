/** Something that holds back what is written to it until it is flushed. */
export interface Held {
  flush(): void;
}

/**
 * Flushes once in a turn of the event loop, so that a burst of events costs each subscriber one system call and
 * not one per event.
 */
export class WriteBatch {
  #held: Held[] = [];

  add(one: Held): void {
    if (this.#held.push(one) === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const held = this.#held;
    this.#held = [];
    for (const one of held) one.flush();
  }
}
