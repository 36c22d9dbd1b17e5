import { readJson, writeJson } from '../files/json-with-bytes.ts';
import type { Storage } from '../storage/storage.ts';
import type { PendingAnswer } from './conversation-state.ts';

/** What other tabs have changed in the storage. */
interface RefusedChanges {
  readonly added: readonly PendingAnswer[];
  /** The keys of answers that were sent again or removed. */
  readonly gone: ReadonlySet<string>;
}

/** Of so many answers, a tab that still has one as unsent does not store it again after its removal. */
const maxRemoved = 100;

/** The refused answers of a request, as they are stored. All tabs change one list, by their keys. */
export function createRefusedStore(storage: Pick<Storage, 'get' | 'change'>, requestId: string) {
  const name = `refused:${requestId}`;
  const removedName = `refused-removed:${requestId}`;
  /** Keys of the answers that this page has and the storage had. */
  let known: ReadonlySet<string> = new Set();

  const parse = (json = '[]') => readJson<readonly PendingAnswer[]>(json);
  const edit = (change: (before: readonly PendingAnswer[]) => readonly PendingAnswer[]) =>
    storage.change(name, (json) => writeJson(change(parse(json))));
  const drop = (keys: readonly string[]) => edit((before) => before.filter(({ key }) => !keys.includes(key)));
  const readRemoved = async (): Promise<readonly string[]> =>
    JSON.parse((await storage.get(removedName)) ?? '[]');

  const has = async (key: string): Promise<boolean> =>
    parse(await storage.get(name)).some((answer) => answer.key === key);

  return {
    has,
    readRemoved,
    /** Whether it was in the storage when this page read or wrote it last. */
    wasStored: (key: string): boolean => known.has(key),
    /** What has changed since this page read or wrote them. */
    async restore(): Promise<RefusedChanges> {
      const stored = parse(await storage.get(name));
      const before = known;
      known = new Set(stored.map(({ key }) => key));
      return {
        added: stored.filter(({ key }) => !before.has(key)).map((answer) => ({ ...answer, after: 0 })),
        gone: new Set([...before].filter((key) => !known.has(key))),
      };
    },

    /** Two tabs may add the same answer. One that was removed in the meantime is not added again. */
    async add(answers: readonly PendingAnswer[]): Promise<void> {
      const keys = answers.map(({ key }) => key);
      await edit((before) => [...before.filter(({ key }) => !keys.includes(key)), ...answers]);
      known = new Set([...known, ...keys]);
      const removed = await readRemoved();
      const late = keys.filter((key) => removed.includes(key));
      if (late.length > 0) await drop(late);
    },

    async remove(key: string): Promise<void> {
      // First, so that a tab that adds it now finds it.
      await storage.change(removedName, (json = '[]') =>
        JSON.stringify([...JSON.parse(json), key].slice(-maxRemoved)),
      );
      await drop([key]);
      known = new Set([...known].filter((one) => one !== key));
    },
  };
}
