import type { Tabs } from '../relay/tabs.ts';
import type { Storage } from '../storage/storage.ts';
import { createStore, type Store } from '../ui/store.ts';
import type { Row, Rows } from './rows.ts';

/** A request that the expert wants to see later. */
export interface Snooze {
  /** Until this time, or until the agent writes. Undefined: only until the agent writes. */
  readonly until: string | undefined;
  /** What happened up to this time does not end it. */
  readonly since: string;
}

export type SnoozesById = Readonly<Record<string, Snooze>>;

export interface Snoozes {
  readonly all: Store<SnoozesById>;
  /** Reads the stored ones, also when another tab has changed them. Returns a function that ends it. */
  follow(): () => void;
  add(row: Pick<Row, 'requestId' | 'lastActivityAt'>, until: Date | undefined): void;
  remove(requestId: string): void;
}

const name = 'snoozes';
const maxKept = 200;

/** Snoozes are kept in this browser, encrypted as drafts are. */
export function createSnoozes(storage: Storage, tabs: Tabs): Snoozes {
  const all = createStore<SnoozesById>({});

  async function read(): Promise<void> {
    const kept = await storage.get(name).catch(() => undefined);
    if (kept !== undefined) all.set(JSON.parse(kept));
  }

  function change(requestId: string, snooze: Snooze | undefined): void {
    const edit = (before: SnoozesById): SnoozesById => {
      const others = Object.entries(before).filter(([id]) => id !== requestId);
      return Object.fromEntries(
        [...others, ...(snooze ? [[requestId, snooze] as const] : [])].slice(-maxKept),
      );
    };
    all.set(edit(all.get()));
    void storage
      .change(name, (json = '{}') => JSON.stringify(edit(JSON.parse(json))))
      .then(() => tabs.send({ type: 'snoozes' }))
      .catch(() => {});
  }

  return {
    all,
    follow() {
      void read();
      return tabs.listen(({ type }) => {
        if (type === 'snoozes') void read();
      });
    },
    add({ requestId, lastActivityAt }, until) {
      const now = new Date().toISOString();
      const since = lastActivityAt > now ? lastActivityAt : now;
      change(requestId, { until: until?.toISOString(), since });
    },
    remove: (requestId) => change(requestId, undefined),
  };
}

/** Whether a request is not to be seen yet. */
export function isSnoozed(row: Pick<Row, 'requestId' | 'lastActivityAt'>, all: SnoozesById, now: number) {
  const snooze = all[row.requestId];
  if (!snooze || row.lastActivityAt > snooze.since) return false;
  return snooze.until === undefined || Date.parse(snooze.until) > now;
}

/** How the expert wants to see a list. */
export interface Arrangement {
  readonly order: 'newest' | 'time-left';
  /** Only requests of the agent with this name, if there are any. */
  readonly agent?: string | undefined;
  readonly snoozes: SnoozesById;
  readonly now: number;
}

/** The rows in the wanted order: those that are snoozed are the last ones. */
export function arrangeRows(rows: Rows, { order, agent, snoozes, now }: Arrangement): Rows {
  const ofAgent = agent ? rows.filter((row) => agentOf(row) === agent) : [];
  const wanted = ofAgent.length > 0 ? ofAgent : rows;
  const inOrder = order === 'newest' ? wanted : [...wanted].sort(compareTimeLeft);
  const later = inOrder.filter((row) => isSnoozed(row, snoozes, now));
  return later.length === 0 ? inOrder : [...inOrder.filter((row) => !later.includes(row)), ...later];
}

const compareTimeLeft = ({ expiresAt: one }: Row, { expiresAt: other }: Row): number =>
  one === other ? 0 : one < other ? -1 : 1;

/** The name by which the list can be limited to one agent. */
export const agentOf = ({ agentName, agent }: Row): string => agentName ?? agent.name;
