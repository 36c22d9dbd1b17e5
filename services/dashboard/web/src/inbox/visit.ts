import type { Storage } from '../storage/storage.ts';
import { createStore, type Store } from '../ui/store.ts';
import { filterOf, type Row, type Rows } from './rows.ts';

/** What the expert has seen, stored for each user. */
interface Seen {
  /** The newest activity before this visit. By the relay's clock, since this device's clock may be wrong. */
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
  /** Starts to record which rows were seen. Returns a function that stops it. */
  follow(rows: Store<Rows>): () => void;
  open(row: Row): void;
}

const name = 'inbox-visit';
/** After a shorter absence the same visit continues, so that a reload does not remove the dots of new rows. */
const sameVisitMs = 30 * 60_000;
const saveIntervalMs = 30_000;
const maxOpened = 500;

export function createVisit(storage: Storage): Visit {
  const seen = createStore<Seen | undefined>(undefined);

  async function load(): Promise<void> {
    // Before the storage is read, since a request may arrive in the meantime.
    const now = Date.now();
    const kept = JSON.parse((await storage.get(name)) ?? 'null') as Seen | null;
    if (!kept) seen.set({ before: new Date(now).toISOString(), newest: '', at: now, opened: [] });
    else
      seen.set(now - kept.at < sameVisitMs ? kept : { ...kept, before: kept.newest || kept.before, at: now });
  }

  function keep(): void {
    const current = seen.get();
    if (!current) return;
    // One write without a read before it: WebKit never ends a read that a page has begun while it is left, and the next page waits for it.
    void storage.set(name, JSON.stringify({ ...current, at: Date.now() })).catch(() => {});
  }

  return {
    seen,
    follow(rows) {
      const note = () => {
        const current = seen.get();
        if (!current || document.visibilityState !== 'visible') return;
        let { newest } = current;
        for (const row of rows.get()) if (row.lastActivityAt > newest) newest = row.lastActivityAt;
        if (newest !== current.newest) seen.set({ ...current, newest });
      };
      void load()
        .catch(() => {})
        .then(note);
      const unsubscribe = rows.subscribe(note);
      const timer = setInterval(() => document.visibilityState === 'visible' && keep(), saveIntervalMs);
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
      const opened = [...others, [requestId, lastActivityAt] as const].slice(-maxOpened);
      seen.set({ ...current, opened });
      keep();
    },
  };
}

/** Whether an agent has asked or written since the last visit, and the expert has not opened the request since. */
export function isNew(row: Row, { before, opened }: Pick<Seen, 'before' | 'opened'>): boolean {
  if (filterOf(row) !== 'waiting' || row.lastActivityAt <= before) return false;
  const [, seenActivity = ''] = opened.find(([requestId]) => requestId === row.requestId) ?? [];
  return row.lastActivityAt > seenActivity;
}
