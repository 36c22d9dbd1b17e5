import type { Clock } from '@expert-relay/kit/clock';

/** A bounded map whose entries count for a while only; when it is full the oldest make room. */
export class RecentMap<Value> {
  readonly #entries = new Map<string, { value: Value; since: number }>();
  readonly #clock: Clock;
  readonly #life: number;
  readonly #most: number;

  constructor(options: { clock: Clock; life: number; most: number }) {
    this.#clock = options.clock;
    this.#life = options.life;
    this.#most = options.most;
  }

  get(name: string): { value: Value; age: number } | undefined {
    const entry = this.#entries.get(name);
    if (!entry) return undefined;
    const age = this.#clock.now() - entry.since;
    // A clock that was set back must not make an entry live longer.
    if (age >= 0 && age < this.#life) return { value: entry.value, age };
    this.#entries.delete(name);
    return undefined;
  }

  set(name: string, value: Value, since: number): void {
    this.#entries.delete(name);
    this.#entries.set(name, { value, since });
    if (this.#entries.size <= this.#most) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      break;
    }
  }

  delete(name: string): void {
    this.#entries.delete(name);
  }

  deleteWhere(matches: (value: Value) => boolean): void {
    for (const [name, { value }] of this.#entries) if (matches(value)) this.#entries.delete(name);
  }
}
