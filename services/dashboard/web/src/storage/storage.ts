import type { Memory } from '@expert-relay/sdk';
import { openDatabase, transact } from './database.ts';

/**
 * The storage of this browser for one user: the expert key, drafts, and what the SDK remembers of each request. All of it
 * is encrypted with an AES key that scripts can use but not read. `clear` deletes everything.
 */
export interface Storage extends Memory {
  delete(name: string): Promise<void>;
  /** Deletes everything of this user. Later writes of all tabs are ignored, until the user signs in again. */
  clear(): Promise<void>;
  /** Whether stored values are still there after the page is closed. */
  readonly isLasting: boolean;
}

interface Sealed {
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly data: ArrayBuffer;
}

/** Falls back to memory where the browser has no storage or no WebCrypto (http, not localhost). */
export async function openStorage(userId: string): Promise<Storage> {
  if (!globalThis.crypto?.subtle || !globalThis.indexedDB) return createPageStorage();
  try {
    return await openBrowserStorage(userId);
  } catch {
    return createPageStorage();
  }
}

async function openBrowserStorage(userId: string): Promise<Storage> {
  const database = await openDatabase();
  const key = await takeKey(database, userId);
  const nameOf = (name: string) => `${userId}/${name}`;
  const own = IDBKeyRange.bound(nameOf(''), nameOf('\uffff'));

  async function seal(value: string): Promise<Sealed> {
    const iv = crypto.getRandomValues(new Uint8Array(12));
    const data = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, new TextEncoder().encode(value));
    return { iv, data };
  }

  async function open(sealed: Sealed | undefined): Promise<string | undefined> {
    if (!sealed) return undefined;
    try {
      const bytes = await crypto.subtle.decrypt({ name: 'AES-GCM', iv: sealed.iv }, key, sealed.data);
      return new TextDecoder().decode(bytes);
    } catch {
      // Another tab wrote it with a key that a sign-out has deleted.
      return undefined;
    }
  }

  async function set(name: string, value: string): Promise<void> {
    const sealed = await seal(value);
    await transact<void>(database, ['keys', 'values'], (store) => {
      const kept = store('keys').getKey(userId);
      kept.onsuccess = () => {
        // A tab that has signed out has deleted the key and all values.
        if (kept.result !== undefined) store('values').put(sealed, nameOf(name));
        commit(store('values'));
      };
    });
  }

  return {
    isLasting: true,
    async get(name) {
      return open(
        await transact<Sealed | undefined>(database, ['values'], (store, done) => {
          const reading = store('values').get(nameOf(name));
          reading.onsuccess = () => done(reading.result);
        }),
      );
    },
    set,
    async remember(name, value) {
      const sealed = await seal(value);
      const kept = await transact<Sealed | undefined>(database, ['keys', 'values'], (store, done) => {
        const values = store('values');
        const key = store('keys').getKey(userId);
        const reading = values.get(nameOf(name));
        reading.onsuccess = () => {
          done(reading.result);
          if (!reading.result && key.result !== undefined) values.put(sealed, nameOf(name));
        };
      });
      const known = await open(kept);
      if (known === undefined && kept) await set(name, value);
      return known ?? value;
    },
    async delete(name) {
      await transact<void>(database, ['values'], (store) => {
        store('values').delete(nameOf(name));
        commit(store('values'));
      });
    },
    async clear() {
      await transact<void>(database, ['keys', 'values'], (store) => {
        store('values').delete(own);
        store('keys').delete(userId);
        commit(store('keys'));
      });
    },
  };
}

/** Without an explicit commit, a page that is being closed loses the transaction. */
const commit = ({ transaction }: IDBObjectStore): void => transaction.commit();

/** The user's AES key in this browser, made on first use. Two tabs at once get the same key. */
async function takeKey(database: IDBDatabase, userId: string): Promise<CryptoKey> {
  const made = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, [
    'encrypt',
    'decrypt',
  ]);
  return transact<CryptoKey>(database, ['keys'], (store, done) => {
    const keys = store('keys');
    const reading = keys.get(userId);
    reading.onsuccess = () => {
      done(reading.result ?? made);
      if (!reading.result) keys.put(made, userId);
    };
  });
}

/** Keeps values in memory, until the page is closed. */
export function createPageStorage(values = new Map<string, string>()): Storage {
  return {
    isLasting: false,
    get: async (name) => values.get(name),
    set: async (name, value) => void values.set(name, value),
    async remember(name, value) {
      const kept = values.get(name) ?? value;
      values.set(name, kept);
      return kept;
    },
    delete: async (name) => void values.delete(name),
    clear: async () => values.clear(),
  };
}

/** The other users of this browser who have stored a value of this name. */
export async function findOtherUsers(userId: string, name: string): Promise<string[]> {
  if (!globalThis.indexedDB) return [];
  const database = await openDatabase();
  const keys = await transact<IDBValidKey[]>(database, ['values'], (store, done) => {
    const reading = store('values').getAllKeys();
    reading.onsuccess = () => done(reading.result);
  });
  database.close();
  return keys
    .map(String)
    .filter((key) => key.endsWith(`/${name}`))
    .map((key) => key.slice(0, -name.length - 1))
    .filter((owner) => owner !== userId);
}

/** Deletes the data of all users of this browser but these. Returns whether there was any. */
export async function clearOtherUsers(users: readonly string[]): Promise<boolean> {
  if (!globalThis.indexedDB) return false;
  let hasFound = false;
  const database = await openDatabase();
  await transact<void>(database, ['keys', 'values'], (store) => {
    for (const name of ['keys', 'values'] as const) {
      const cursor = store(name).openKeyCursor();
      cursor.onsuccess = () => {
        if (!cursor.result) return;
        const key = String(cursor.result.key);
        const isKept = users.some((user) => key === user || key.startsWith(`${user}/`));
        if (!isKept) {
          hasFound = true;
          store(name).delete(cursor.result.key);
        }
        cursor.result.continue();
      };
    }
  });
  database.close();
  return hasFound;
}
