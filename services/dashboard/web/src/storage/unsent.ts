import type { Tabs } from '../relay/tabs.ts';
import { createStore, type Store } from '../ui/store.ts';
import type { Storage } from './storage.ts';

/** `sending`: this tab is sending it. */
export type UnsentState = 'sending' | 'unsent';

/** Which requests have an answer that was not sent, also such that are not open. The SDK has stored it, for all tabs. */
export interface Unsent {
  readonly all: Store<Readonly<Record<string, UnsentState>>>;
  /** Notes what this tab knows. */
  note(requestId: string, state: UnsentState | undefined): void;
}

/** The SDK's names of the answers that wait. */
const prefix = 'pending:';

export function createUnsent(storage: Storage, tabs: Tabs): Unsent {
  const all = createStore<Readonly<Record<string, UnsentState>>>({});

  let notes = 0;

  /** Reads all again: a tab that was suspended was not told what others have sent. */
  async function restore(): Promise<void> {
    const before = all.get();
    const notesBefore = notes;
    const stored = (await storage.names(prefix)).map((name) => name.slice(prefix.length));
    // What this tab has sent meanwhile may be among them.
    if (notes !== notesBefore) return restore();
    all.set(Object.fromEntries(stored.map((requestId) => [requestId, before[requestId] ?? 'unsent'])));
  }

  const onShown = () => {
    if (document.visibilityState === 'visible') void restore().catch(() => {});
  };
  document.addEventListener('visibilitychange', onShown);
  addEventListener('pageshow', onShown);
  tabs.listen((message) => {
    if (message.type === 'unsent') void restore().catch(() => {});
  });
  void restore().catch(() => {});

  return {
    all,
    note(requestId, state) {
      const before = all.get()[requestId];
      if (before === state) return;
      notes += 1;
      const { [requestId]: _, ...others } = all.get();
      all.set(state ? { ...others, [requestId]: state } : others);
      // Not for each answer: others learn of those that waited.
      if (before === 'unsent' || state === 'unsent') tabs.send({ type: 'unsent', requestId });
    },
  };
}
