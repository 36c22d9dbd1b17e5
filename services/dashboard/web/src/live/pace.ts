import type { ExpertEvent } from '@expert-relay/sdk/expert';
import type { CallBudget } from './call-budget.ts';

/** Spreads background calls over time, so that all tabs together stay far below the rate limit. */
export interface Pace {
  /**
   * Runs `work` as soon as the budget allows. It replaces waiting work of the same name; while such work is running, it
   * runs once more afterwards. Urgent work, which the expert looks at, may use all of the budget.
   */
  run(name: string, work: () => unknown, options?: { readonly isUrgent?: () => boolean }): void;
  /** Looks again which of the waiting work is urgent. */
  wake(): void;
}

interface Waiting {
  readonly work: () => unknown;
  readonly isUrgent: () => boolean;
}

/** `reserve`: the calls of the budget that only urgent work may use. */
export function createPace({ budget, reserve }: { budget: CallBudget; reserve: number }): Pace {
  const waiting = new Map<string, Waiting>();
  const running = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isServing = false;
  let isOutdated = false;

  async function serve(): Promise<void> {
    if (isServing) {
      isOutdated = true;
      return;
    }
    isServing = true;
    isOutdated = false;
    const waits: number[] = [];
    const names = [...waiting.keys()].filter((name) => !running.has(name));
    const isUrgent = (name: string) => waiting.get(name)?.isUrgent() === true;
    for (const name of [...names.filter(isUrgent), ...names.filter((name) => !isUrgent(name))]) {
      const wait = await budget.take(isUrgent(name) ? 0 : reserve).catch(() => 0);
      if (wait > 0) waits.push(wait);
      else start(name);
    }
    isServing = false;
    if (isOutdated) schedule(0);
    else if (waits.length > 0) schedule(Math.max(50, Math.min(...waits)));
  }

  function start(name: string): void {
    const work = waiting.get(name)?.work;
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

  function schedule(waitMs: number): void {
    clearTimeout(timer);
    if (waiting.size > 0) timer = setTimeout(() => void serve(), waitMs);
  }

  return {
    run(name, work, { isUrgent = () => false } = {}) {
      waiting.set(name, { work, isUrgent });
      schedule(0);
    },
    wake: () => schedule(0),
  };
}

type Listener = (event: ExpertEvent) => void;

export interface PacedEvents {
  emit: Listener;
  listen(call: Listener): () => void;
  /** A request is open in this tab. Events about others are not passed on. Returns a function that ends it. */
  open(requestId: string): () => void;
}

/** Passes events on at a pace. Of several events about one request only the newest is passed on. */
export function createPacedEvents(pace: Pick<Pace, 'run'>, isVisible: () => boolean): PacedEvents {
  const listeners = new Set<Listener>();
  const open: string[] = [];
  /** Events that wait, by request. */
  let newest = new Map<string, ExpertEvent>();

  function passOn(): void {
    const events = [...newest.values()];
    newest = new Map();
    for (const event of events) for (const call of [...listeners]) call(event);
  }

  return {
    emit(event) {
      const isOpen = event.type === 'unknown' || open.includes(event.requestId);
      if (listeners.size === 0 || !isOpen) return;
      newest.set(event.type === 'unknown' ? '' : event.requestId, event);
      pace.run('conversations', passOn, { isUrgent: isVisible });
    },
    listen(call) {
      listeners.add(call);
      return () => listeners.delete(call);
    },
    open(requestId) {
      open.push(requestId);
      return () => open.splice(open.indexOf(requestId), 1);
    },
  };
}
