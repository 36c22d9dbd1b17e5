import type { ExpertEvent } from '@expert-relay/sdk/expert';

/** Spreads background calls over time, so that all tabs together stay far below the rate limit. */
export interface Pace {
  /**
   * Runs `work` as soon as the pace allows. It replaces waiting work of the same name; while such work is running, it runs
   * once more afterwards.
   */
  run(name: string, work: () => unknown): void;
}

export interface PaceOptions {
  /** Calls that may be made at once after a pause. */
  readonly burst: number;
  /** Milliseconds between further calls, of all tabs together. */
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
    // A browser may refuse to count the tabs.
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

type Listener = (event: ExpertEvent) => void;

/** Passes events on at a pace. Of several events about one request only the newest is passed on. */
export function createPacedEvents(pace: Pace): { emit: Listener; listen(call: Listener): () => void } {
  const listeners = new Set<Listener>();
  /** Events that wait, by request. */
  let newest = new Map<string, ExpertEvent>();
  return {
    emit(event) {
      if (listeners.size === 0) return;
      newest.set(event.type === 'unknown' ? '' : event.requestId, event);
      // One name for all requests: those that are not open must not delay the one that is.
      pace.run('conversations', () => {
        const events = [...newest.values()];
        newest = new Map();
        for (const each of events) for (const call of [...listeners]) call(each);
      });
    },
    listen(call) {
      listeners.add(call);
      return () => listeners.delete(call);
    },
  };
}
