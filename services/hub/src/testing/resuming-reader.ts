import type { Reader } from './reader.ts';

/** A subscriber that is cut off again and again, and always goes on from the position it was given last. */
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

  /** How often it was told that its position is gone. */
  get resets(): number {
    return this.#resets + this.#reader.named('hub.reset').length;
  }

  reconnect(): void {
    // A reader that was cut off before it heard anything keeps the position it came with.
    this.#lastEventId = this.#reader.lastEventId || this.#lastEventId;
    this.#reader.close();
    this.#earlier = this.events;
    this.#resets = this.resets;
    this.reconnects++;
    this.#reader = this.#open(this.#lastEventId);
  }
}

/** What was expected against what came: the four numbers that count. */
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
