import type { Expert } from '@expert-relay/sdk/expert';
import { isToDecide } from '../conversation/open-form.ts';
import { describeError } from '../relay/action-error.tsx';
import { CallError, call } from '../relay/call.ts';
import { createStore, type Store } from '../ui/store.ts';
import type { Inbox } from './inbox.ts';
import { filterOf, type Row, type Rows } from './rows.ts';
import { keepRows, type Selection } from './selection.ts';
import { triageOf } from './use-triage.ts';

interface Tools {
  readonly inbox: Inbox;
  readonly selection: Store<Selection | undefined>;
  readonly expert: Pick<Expert, 'request'>;
}

/** What the expert can do with all selected requests. */
export interface RowAction {
  /** While it runs, and once it is done. */
  readonly words: readonly [string, string];
  /** Why it does not apply to a row. */
  whyNot(row: Row): string | undefined;
  /** Returns why it does not apply, if only the request itself shows that. */
  act(row: Row, tools: Tools): Promise<string | undefined>;
}

const whyNotWaiting = (row: Row): string | undefined =>
  ({ ended: 'It has ended.', answered: 'It does not wait for you.', waiting: undefined })[filterOf(row)];

export const settleRows: RowAction = {
  words: ['Moving to Answered', 'moved to Answered'],
  whyNot: (row) =>
    whyNotWaiting(row) ?? (row.status === 'pending' ? 'You have not answered it yet.' : undefined),
  async act({ requestId, lastActivityAt }, { inbox, expert }) {
    const request = await expert.request(requestId);
    if (request.refused) throw request.refused;
    if (isToDecide(request)) return 'Its form waits for your decision.';
    await triageOf(inbox, requestId).settle(lastActivityAt);
    return undefined;
  },
};

export const snoozeRows = (until: Date | undefined): RowAction => ({
  words: ['Snoozing', 'snoozed'],
  whyNot: whyNotWaiting,
  async act({ requestId, lastActivityAt }, { inbox }) {
    await triageOf(inbox, requestId).snooze(lastActivityAt, until);
    return undefined;
  },
});

export const endRows: RowAction = {
  words: ['Ending', 'ended'],
  whyNot: (row) => (filterOf(row) === 'ended' ? 'It has ended.' : undefined),
  async act({ requestId }) {
    await call(`/api/requests/${encodeURIComponent(requestId)}/close`, { method: 'POST' });
    return undefined;
  },
};

/** A row to which an action was not done. */
export interface NotDone {
  readonly row: Row;
  readonly why: string;
  /** Whether it failed, so that it can be tried again. Else it does not apply. */
  readonly hasFailed: boolean;
}

export interface Run {
  readonly action: RowAction;
  readonly left: number;
  readonly done: number;
  readonly notDone: readonly NotDone[];
}

/** The action that runs, or ran last. It goes on when the expert opens another page. */
export const run: Store<Run | undefined> = createStore<Run | undefined>(undefined);

/** Acts on one row after the other. A row on which it was done leaves the selection. */
export async function actOnRows(action: RowAction, rows: Rows, tools: Tools): Promise<void> {
  const before = run.get();
  const others = before?.action === action ? before.notDone.filter(({ row }) => !hasRow(rows, row)) : [];
  run.set({ action, left: rows.length, done: 0, notDone: others });
  for (const row of rows) {
    if (run.get()?.left === 0) return;
    const notDone = await attempt(action, row, tools);
    const selected = tools.selection.get();
    if (!notDone && selected) tools.selection.set(keepRows(selected, (id) => id !== row.requestId));
    const now = run.get() as Run;
    run.set({
      action,
      left: now.left - 1,
      done: now.done + (notDone ? 0 : 1),
      notDone: notDone ? [...now.notDone, notDone] : now.notDone,
    });
  }
}

/** The action ends with the row that it is at, which is all that is left. */
export function stopRun(): void {
  const now = run.get();
  if (now && now.left > 0) run.set({ ...now, left: 1 });
}

async function attempt(action: RowAction, row: Row, tools: Tools): Promise<NotDone | undefined> {
  for (;;) {
    try {
      const why = action.whyNot(row) ?? (await action.act(row, tools));
      return why === undefined ? undefined : { row, why, hasFailed: false };
    } catch (error) {
      // The next call waits while the rate limit refuses calls.
      const isLimited = error instanceof CallError && error.status === 429;
      if (!isLimited) return { row, why: describe(error), hasFailed: true };
    }
  }
}

const describe = (error: unknown): string =>
  error instanceof CallError && error.code === 'agent_has_written'
    ? 'The agent has written meanwhile.'
    : describeError(error);

const hasRow = (rows: Rows, { requestId }: Row): boolean => rows.some((row) => row.requestId === requestId);
