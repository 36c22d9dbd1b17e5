import type { Reader } from './reader.ts';

/** A subscriber that is disconnected again and again, and resumes from its newest position each time. */
export class ResumingReader {
  readonly #open: (from: string) => Reader;
  #reader: Reader;
  #earlier: Record<string, unknown>[] = [];
  #resets = 0;
  #lastEventId = '';
  reconnects = 0;

  constructor(open: (from: string) => Reader) {
    this.#open = open;
    this.#reader = open('');
  }

  get reader(): Reader {
    return this.#reader;
  }

  get events(): Record<string, unknown>[] {
    return [...this.#earlier, ...this.#reader.events];
  }

  get messageIds(): unknown[] {
    return this.events.filter(({ type }) => type === 'new_message').map(({ messageId }) => messageId);
  }

  /** How many times it got `hub.reset`. */
  get resets(): number {
    return this.#resets + this.#reader.named('hub.reset').length;
  }

  reconnect(): void {
    // A reader that was disconnected before it received anything keeps its earlier position.
    this.#lastEventId = this.#reader.lastEventId || this.#lastEventId;
    this.#reader.close();
    this.#earlier = this.events;
    this.#resets = this.resets;
    this.reconnects++;
    this.#reader = this.#open(this.#lastEventId);
  }
}

/** Compares the expected events with the delivered ones. */
export function compare(expected: readonly unknown[], delivered: readonly unknown[]) {
  const unique = new Set(delivered);
  return {
    expected: expected.length,
    delivered: delivered.length,
    lost: expected.filter((one) => !unique.has(one)).length,
    doubled: delivered.length - unique.size,
    inOrder: delivered.every((one, index) => one === expected[index]),
  };
}
