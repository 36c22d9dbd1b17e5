import { readJson, writeJson } from '../files/json-with-bytes.ts';
import type { Storage } from '../storage/storage.ts';
import { withoutSame } from './answer-content.ts';
import type { PendingAnswer } from './conversation-state.ts';

/** What other tabs have changed in the storage. */
interface RefusedChanges {
  readonly added: readonly PendingAnswer[];
  /** The keys of answers that were sent again or removed. */
  readonly gone: ReadonlySet<string>;
}

/** The refused answers of a request, as they are stored. All tabs store theirs under one name. */
export function createRefusedStore(storage: Storage, requestId: string) {
  const name = `refused:${requestId}`;
  /** Keys of the answers that this page has and the storage had. */
  let known: ReadonlySet<string> = new Set();
  let last: Promise<unknown> = Promise.resolve();

  const keysOf = (answers: readonly PendingAnswer[]) => new Set(answers.map(({ key }) => key));
  const read = async () => readJson<PendingAnswer[]>((await storage.get(name)) ?? '[]');

  /** A change of this page reads what the one before has stored. */
  function queue<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  }

  return {
    /** What has changed since this page read or wrote them. */
    restore: (): Promise<RefusedChanges> =>
      queue(async () => {
        const before = known;
        const stored = await read();
        known = keysOf(stored);
        return {
          added: stored.filter(({ key }) => !before.has(key)).map((answer) => ({ ...answer, after: 0 })),
          gone: new Set([...before].filter((key) => !known.has(key))),
        };
      }),

    /**
     * Stores what `refused` returns, without those that another tab has sent again or removed. What other tabs have stored
     * stays, but for the same answer: it was refused in both.
     */
    store: (refused: () => readonly PendingAnswer[]): Promise<void> =>
      queue(async () => {
        const stored = await read().catch(() => undefined);
        const inStorage = keysOf(stored ?? []);
        const own = refused().filter(({ key }) => !stored || !known.has(key) || inStorage.has(key));
        const owned = keysOf(own);
        const others = (stored ?? []).filter(({ key }) => !known.has(key) && !owned.has(key));
        // An answer that cannot be stored is still shown.
        await storage.set(name, writeJson([...withoutSame(others, own), ...own])).then(
          () => {
            known = owned;
          },
          () => {},
        );
      }),
  };
}
