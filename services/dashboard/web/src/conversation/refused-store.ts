import { readJson, writeJson } from '../files/json-with-bytes.ts';
import type { Storage } from '../storage/storage.ts';
import type { PendingAnswer } from './conversation-state.ts';

/** The refused answers of a request, as they are stored. All tabs store theirs under one name. */
export function createRefusedStore(storage: Storage, requestId: string) {
  const name = `refused:${requestId}`;
  /** Keys of the answers that this page has read or written. */
  const known = new Set<string>();

  async function read(): Promise<readonly PendingAnswer[]> {
    return readJson<PendingAnswer[]>((await storage.get(name)) ?? '[]');
  }
  const note = (answers: readonly PendingAnswer[]) => {
    for (const { key } of answers) known.add(key);
  };

  return {
    /** Reads those that this page does not know: from before it was loaded, and of other tabs. */
    async restore(): Promise<readonly PendingAnswer[]> {
      const unknown = (await read()).filter(({ key }) => !known.has(key));
      note(unknown);
      return unknown.map((answer) => ({ ...answer, after: 0 }));
    },
    /** Stores what `refused` returns. Those that other tabs have stored stay. */
    async store(refused: () => readonly PendingAnswer[]): Promise<void> {
      const stored = await read().catch(() => []);
      const others = stored.filter(({ key }) => !known.has(key));
      const own = refused();
      note(own);
      // An answer that cannot be stored is still shown.
      await storage.set(name, writeJson([...others, ...own])).catch(() => {});
    },
  };
}
