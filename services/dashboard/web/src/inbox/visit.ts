import type { Storage } from '../storage/storage.ts';
import { createStore, type Store } from '../ui/store.ts';
import { filterOf, type Row, type Rows } from './rows.ts';

/** What the expert has seen, stored for each user. */
interface Seen {
  /** The newest activity before this visit: times of the relay, since this device's clock may be wrong. */
  readonly before: string;
  /** The newest activity that was on screen. */
  readonly newest: string;
  /** The last activity of the expert in this visit, by this device's clock. */
  readonly at: number;
  /** Opened requests, each with its newest activity at that time; the newest last. */
  readonly opened: readonly (readonly [requestId: string, activity: string])[];
}

/** Decides which rows are new since the last visit. */
export interface Visit {
  readonly seen: Store<Seen | undefined>;
  /** Records which rows are seen. Returns the function that ends it. */
  follow(rows: Store<Rows>): () => void;
  open(row: Row): void;
}

const name = 'inbox-visit';
/** A visit continues after a shorter absence, so a reload removes no dots. */
const sameVisitMs = 30 * 60_000;
const keepEveryMs = 30_000;
const mostOpened = 500;

export function createVisit(storage: Storage): Visit {
  const seen = createStore<Seen | undefined>(undefined);

  async function load(): Promise<void> {
    const kept = JSON.parse((await storage.get(name)) ?? 'null') as Seen | null;
    const now = Date.now();
    if (!kept) seen.set({ before: new Date(now).toISOString(), newest: '', at: now, opened: [] });
    else
      seen.set(now - kept.at < sameVisitMs ? kept : { ...kept, before: kept.newest || kept.before, at: now });
  }

  function keep(): void {
    const current = seen.get();
    if (!current) return;
    void storage.set(name, JSON.stringify({ ...current, at: Date.now() })).catch(() => {});
  }

  return {
    seen,
    follow(rows) {
      const note = () => {
        const current = seen.get();
        if (!current || document.visibilityState !== 'visible') return;
        let { newest } = current;
        for (const row of rows.get())
          if (row.agent && row.lastActivityAt > newest) newest = row.lastActivityAt;
        if (newest !== current.newest) seen.set({ ...current, newest });
      };
      void load()
        .catch(() => {})
        .then(note);
      const unsubscribe = rows.subscribe(note);
      const timer = setInterval(() => document.visibilityState === 'visible' && keep(), keepEveryMs);
      const onVisibility = () => {
        note();
        keep();
      };
      document.addEventListener('visibilitychange', onVisibility);
      return () => {
        unsubscribe();
        clearInterval(timer);
        document.removeEventListener('visibilitychange', onVisibility);
      };
    },
    open({ requestId, lastActivityAt }) {
      const current = seen.get();
      if (!current) return;
      const others = current.opened.filter(([id]) => id !== requestId);
      const opened = [...others, [requestId, lastActivityAt] as const].slice(-mostOpened);
      seen.set({ ...current, opened });
      keep();
    },
  };
}

/** Whether an agent has asked or written since the last visit, and the expert has not looked. */
export function isNew(row: Row, { before, opened }: Pick<Seen, 'before' | 'opened'>): boolean {
  if (filterOf(row) !== 'waiting' || row.lastActivityAt <= before) return false;
  const looked = opened.find(([requestId]) => requestId === row.requestId);
  return !looked || row.lastActivityAt > looked[1];
}
