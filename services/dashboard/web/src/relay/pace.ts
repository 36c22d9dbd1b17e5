import type { ExpertEvent } from '@expert-relay/sdk/expert';

/** Spreads background reads over time, so that the rate limit leaves calls for what the expert does. */
export interface Pace {
  /**
   * Runs `work` at once, or when the gap after its last run is over. It replaces waiting work of the same name; while such work is running,
   * it runs once more afterwards. Work that is not needed now waits for `wake`.
   */
  run(name: string, work: () => unknown, isNeeded: () => boolean): void;
  /** Looks again which of the waiting work is needed. */
  wake(): void;
}

interface Waiting {
  readonly work: () => unknown;
  readonly isNeeded: () => boolean;
}

/** `gapMs`: how long after the beginning of a run the next one may begin. */
export function createPace(gapMs: () => number): Pace {
  const waiting = new Map<string, Waiting>();
  const running = new Set<string>();
  const begunAt = new Map<string, number>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function serve(): void {
    const waits: number[] = [];
    for (const [name, { work, isNeeded }] of [...waiting]) {
      if (running.has(name) || !isNeeded()) continue;
      const waitMs = (begunAt.get(name) ?? Number.NEGATIVE_INFINITY) + gapMs() - performance.now();
      if (waitMs > 0) waits.push(waitMs);
      else void start(name, work);
    }
    clearTimeout(timer);
    if (waits.length > 0) timer = setTimeout(serve, Math.min(...waits));
  }

  async function start(name: string, work: () => unknown): Promise<void> {
    waiting.delete(name);
    running.add(name);
    begunAt.set(name, performance.now());
    try {
      await work();
    } catch {
      // Each kind of work decides whether it runs again.
    }
    running.delete(name);
    serve();
  }

  return {
    run(name, work, isNeeded) {
      waiting.set(name, { work, isNeeded });
      serve();
    },
    wake: serve,
  };
}

type Listener = (event: ExpertEvent) => void;

export interface PacedEvents {
  emit: Listener;
  listen(call: Listener): () => void;
  /** This tab shows a request. Events about others are not passed on. Returns a function that ends it. */
  watch(requestId: string): () => void;
}

/** Passes events on at a pace, while the page is visible. Of several events about one request only the newest is passed on. */
export function createPacedEvents(pace: Pick<Pace, 'run'>, isVisible: () => boolean): PacedEvents {
  const listeners = new Set<Listener>();
  const watched: string[] = [];
  /** Events that wait, by request. */
  let newest = new Map<string, ExpertEvent>();

  function passOn(): void {
    const events = [...newest.values()];
    newest = new Map();
    for (const event of events) for (const call of [...listeners]) call(event);
  }

  return {
    emit(event) {
      const isWatched = event.type === 'unknown' || watched.includes(event.requestId);
      if (listeners.size === 0 || !isWatched) return;
      newest.set(event.type === 'unknown' ? '' : event.requestId, event);
      pace.run('conversations', passOn, isVisible);
    },
    listen(call) {
      listeners.add(call);
      return () => listeners.delete(call);
    },
    watch(requestId) {
      watched.push(requestId);
      return () => watched.splice(watched.indexOf(requestId), 1);
    },
  };
}
