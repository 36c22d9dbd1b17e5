import type { Tabs } from '../live/tabs.ts';
import type { Storage } from '../storage/storage.ts';
import { createStore, type Store } from '../ui/store.ts';

/**
 * `waiting`: they are sent once the relay can be reached. `held` and `refused`: the expert decides. Of several answers, the one that
 * needs the expert most.
 */
export type UnsentState = 'sending' | 'waiting' | 'held' | 'refused';

/** Whether the expert decides about them. The others are sent without the expert. */
export const needsExpert = (state: UnsentState): boolean => state === 'held' || state === 'refused';

/** The answers of one request that were not sent. */
export interface UnsentAnswers {
  readonly refCode: string;
  readonly state: UnsentState;
}

export type UnsentById = Readonly<Record<string, UnsentAnswers>>;

/** Which requests have answers that were not sent, also such that are not open. Their texts are stored elsewhere. */
export interface Unsent {
  readonly all: Store<UnsentById>;
  /** Resolves once those of before this page are known. */
  readonly restored: Promise<void>;
  note(requestId: string, answers: UnsentAnswers | undefined): void;
}

const prefix = 'unsent:';

export function createUnsent(storage: Storage, tabs: Tabs): Unsent {
  const all = createStore<UnsentById>({});

  function put(requestId: string, answers: UnsentAnswers | undefined): void {
    const { [requestId]: _, ...others } = all.get();
    all.set(answers ? { ...others, [requestId]: answers } : others);
  }

  async function read(requestId: string): Promise<void> {
    const stored = await storage.get(prefix + requestId);
    put(requestId, stored === undefined ? undefined : JSON.parse(stored));
  }

  /** Reads all again: a tab that was suspended was not told what others have noted. */
  async function restore(): Promise<void> {
    const stored = (await storage.names(prefix)).map((name) => name.slice(prefix.length));
    await Promise.all([...new Set([...Object.keys(all.get()), ...stored])].map(read));
  }

  const onShown = () => {
    if (document.visibilityState === 'visible') void restore().catch(() => {});
  };
  document.addEventListener('visibilitychange', onShown);
  addEventListener('pageshow', onShown);
  tabs.listen((message) => {
    if (message.type === 'unsent') void read(message.requestId).catch(() => {});
  });

  return {
    all,
    restored: restore().catch(() => {}),
    note(requestId, answers) {
      const before = all.get()[requestId];
      if (before?.state === answers?.state && before?.refCode === answers?.refCode) return;
      put(requestId, answers);
      const name = prefix + requestId;
      const stored = answers ? storage.set(name, JSON.stringify(answers)) : storage.delete(name);
      const report = () => {
        tabs.send({ type: 'unsent', requestId });
        // What was read before this was stored is out of date.
        return read(requestId);
      };
      stored.then(report).catch(() => {});
    },
  };
}
