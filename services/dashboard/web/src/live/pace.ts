/** Spreads background calls, so that all tabs together stay far below the page budget. */
export interface Pace {
  /** Runs `work` as soon as the pace allows. A waiting call of the same name is replaced; a running one is followed by one more. */
  run(name: string, work: () => unknown): void;
}

export interface PaceOptions {
  /** Calls that may be made at once after a pause. */
  readonly burst: number;
  /** Milliseconds for each further call, of all tabs together. */
  readonly spacingMs: number;
  readonly countTabs: () => Promise<number>;
  readonly now?: () => number;
}

export function createPace({
  burst,
  spacingMs,
  countTabs,
  now = () => performance.now(),
}: PaceOptions): Pace {
  const waiting = new Map<string, () => unknown>();
  const running = new Set<string>();
  let credit = burst;
  let countedAt = now();
  let isScheduled = false;

  async function serve(): Promise<void> {
    // Browsers may refuse the count.
    const spacing = spacingMs * (await countTabs().catch(() => 1));
    const time = now();
    credit = Math.min(burst, credit + (time - countedAt) / spacing);
    countedAt = time;
    for (const [name, work] of waiting) {
      if (credit < 1) break;
      if (running.has(name)) continue;
      credit -= 1;
      waiting.delete(name);
      running.add(name);
      void Promise.resolve()
        .then(work)
        .catch(() => {})
        .finally(() => {
          running.delete(name);
          schedule(0);
        });
    }
    isScheduled = false;
    const isBlocked = [...waiting.keys()].every((name) => running.has(name));
    if (waiting.size > 0 && !isBlocked) schedule(Math.max(50, (1 - credit) * spacing));
  }

  function schedule(wait: number): void {
    if (isScheduled || waiting.size === 0) return;
    isScheduled = true;
    setTimeout(() => void serve(), wait);
  }

  return {
    run(name, work) {
      waiting.set(name, work);
      schedule(0);
    },
  };
}
