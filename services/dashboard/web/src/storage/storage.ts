import type { Store } from '@expert-relay/sdk';
import { openDatabase, readFrom, transact } from './database.ts';

/**
 * The storage of this browser for a signed-in expert. A name that begins with a fingerprint and a colon belongs to that
 * root: the root itself, and what the SDK remembers of requests. It is found again whatever user id the relay states. All
 * other values, such as drafts, belong to the user. All are encrypted with AES keys that scripts can use but not read: one
 * for each owner.
 */
export interface Storage extends Store {
  /**
   * Replaces a value by what `edit` makes of it; undefined stands for none. It is atomic: two tabs that change a value at the same
   * time both change it, one after the other. So `edit` may be called more than once. Returns the new value.
   */
  change(name: string, edit: (value: string | undefined) => string | undefined): Promise<string | undefined>;
  /** Deletes what belongs to this root. */
  deleteOf(fingerprint: string): Promise<void>;
  /**
   * Deletes what belongs to the user and to the root that this page has used. Later writes of all tabs are ignored, until
   * the user signs in again.
   */
  clear(): Promise<void>;
  /** Whether stored values are still there after the page is closed. */
  readonly isLasting: boolean;
}

interface Sealed {
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly data: ArrayBuffer;
}

/** Falls back to memory where the browser has no storage. */
export async function openStorage(userId: string): Promise<Storage> {
  if (!globalThis.indexedDB) return createPageStorage();
  try {
    return inOrder(await openBrowserStorage(userId));
  } catch {
    return createPageStorage();
  }
}

/** A value takes a while to be encrypted. What is called later for the same name waits until it is stored. */
function inOrder(storage: Storage): Storage {
  const last = new Map<string, Promise<unknown>>();
  const ordered =
    <A extends unknown[], T>(call: (name: string, ...rest: A) => Promise<T>) =>
    (name: string, ...rest: A): Promise<T> => {
      const work = () => call(name, ...rest);
      const turn = Promise.resolve(last.get(name)).then(work, work);
      last.set(name, turn);
      return turn;
    };
  return {
    ...storage,
    get: ordered(storage.get),
    set: ordered(storage.set),
    remember: ordered(storage.remember),
    delete: ordered(storage.delete),
    change: ordered(storage.change),
  };
}

/** What belongs to the root is filed under this: the first of the two owners of a value. */
const fingerprint = /^\d{5}(?: \d{5}){7}(?=:|$)/;

export const isFingerprint = (owner: string): boolean => fingerprint.test(owner);

async function openBrowserStorage(userId: string): Promise<Storage> {
  const database = await openDatabase();
  /** The AES keys that this page has used, by their owners. */
  const keys = new Map<string, Promise<CryptoKey>>();

  function keyOf(owner: string): Promise<CryptoKey> {
    const key = keys.get(owner) ?? takeKey(database, owner, userId);
    keys.set(owner, key);
    return key;
  }
  await keyOf(userId);

  /** Where a value is stored. */
  function pathOf(name: string): { readonly owner: string; readonly path: string } {
    const [owner] = fingerprint.exec(name) ?? [];
    if (owner === undefined) return { owner: userId, path: `${userId}/${name}` };
    return { owner, path: `${owner}/${name.slice(owner.length + 1)}` };
  }

  async function seal(owner: string, value: string): Promise<Sealed> {
    const iv = crypto.getRandomValues(new Uint8Array(12));
    const text = new TextEncoder().encode(value);
    return { iv, data: await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, await keyOf(owner), text) };
  }

  async function open(owner: string, sealed: Sealed | undefined): Promise<string | undefined> {
    if (!sealed) return undefined;
    try {
      const { iv, data } = sealed;
      const bytes = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, await keyOf(owner), data);
      return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    } catch {
      // Another tab wrote it with a key that a sign-out has deleted.
      return undefined;
    }
  }

  async function set(name: string, value: string): Promise<void> {
    const { owner, path } = pathOf(name);
    const sealed = await seal(owner, value);
    await transact<void>(database, ['keys', 'values'], (store) => {
      const key = store('keys').getKey(owner);
      key.onsuccess = () => {
        // A tab that has signed out has deleted the key and all values.
        if (key.result !== undefined) store('values').put(sealed, path);
        commit(store('values'));
      };
    });
  }

  const read = (path: string) =>
    readFrom<Sealed | undefined>(database, 'values', (values) => values.get(path));

  /** Stores a value, or none, if the stored one is still `before`. Returns whether it was. */
  const replace = (name: string, before: Sealed | undefined, after: Sealed | undefined) =>
    transact<boolean>(database, ['keys', 'values'], (store, done) => {
      const { owner, path } = pathOf(name);
      const values = store('values');
      const key = store('keys').getKey(owner);
      const reading = values.get(path);
      reading.onsuccess = () => {
        // Each value that is written has another one.
        const isUnchanged = String(reading.result?.iv) === String(before?.iv);
        done(isUnchanged);
        if (!isUnchanged) return;
        if (!after) values.delete(path);
        else if (key.result !== undefined) values.put(after, path);
        commit(values);
      };
    });

  return {
    isLasting: true,
    async get(name) {
      const { owner, path } = pathOf(name);
      return open(owner, await read(path));
    },
    set,
    async remember(name, value) {
      const { owner, path } = pathOf(name);
      const sealed = await seal(owner, value);
      const first = await transact<Sealed | undefined>(database, ['keys', 'values'], (store, done) => {
        const values = store('values');
        const key = store('keys').getKey(owner);
        const reading = values.get(path);
        reading.onsuccess = () => {
          done(reading.result);
          if (!reading.result && key.result !== undefined) values.put(sealed, path);
        };
      });
      const known = await open(owner, first);
      if (known === undefined && first) await set(name, value);
      return known ?? value;
    },
    async change(name, edit) {
      const { owner, path } = pathOf(name);
      // Encrypting takes longer than a transaction may.
      for (;;) {
        const before = await read(path);
        const value = edit(await open(owner, before));
        const after = value === undefined ? undefined : await seal(owner, value);
        if (await replace(name, before, after)) return value;
      }
    },
    async delete(name) {
      await transact<void>(database, ['values'], (store) => {
        store('values').delete(pathOf(name).path);
        commit(store('values'));
      });
    },
    async names(prefix) {
      const { path } = pathOf(prefix);
      const range = IDBKeyRange.bound(path, `${path}\uffff`);
      const found = await readFrom(database, 'values', (values) => values.getAllKeys(range));
      return found.map((one) => String(one).slice(path.length - prefix.length));
    },
    deleteOf: (fingerprint) => deleteOwners(database, [fingerprint]),
    clear: () => deleteOwners(database, [...keys.keys()]),
  };
}

/** Without an explicit commit, a page that is being closed loses the transaction. */
const commit = ({ transaction }: IDBObjectStore): void => transaction.commit();

/** The AES key of an owner in this browser, made on first use. Two tabs at once get the same key. */
async function takeKey(database: IDBDatabase, owner: string, userId: string): Promise<CryptoKey> {
  const made = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, [
    'encrypt',
    'decrypt',
  ]);
  return transact<CryptoKey>(database, ['keys'], (store, done) => {
    const keys = store('keys');
    const user = keys.getKey(userId);
    const reading = keys.get(owner);
    reading.onsuccess = () => {
      done(reading.result ?? made);
      // After a sign-out in another tab, a page makes no key for a root.
      const isSignedIn = owner === userId || user.result !== undefined;
      if (!reading.result && isSignedIn) keys.put(made, owner);
    };
  });
}

/** Deletes the keys and the values of owners, at once: a page that is being closed gets no results any more. */
async function deleteOwners(database: IDBDatabase, owners: readonly string[]): Promise<void> {
  await transact<void>(database, ['keys', 'values'], (store) => {
    for (const owner of owners) {
      store('values').delete(IDBKeyRange.bound(`${owner}/`, `${owner}/\uffff`));
      store('keys').delete(owner);
    }
    commit(store('keys'));
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
    async change(name, edit) {
      const value = edit(values.get(name));
      if (value === undefined) values.delete(name);
      else values.set(name, value);
      return value;
    },
    names: async (prefix) => [...values.keys()].filter((name) => name.startsWith(prefix)),
    async deleteOf(fingerprint) {
      for (const name of values.keys()) if (name.startsWith(`${fingerprint}:`)) values.delete(name);
    },
    clear: async () => values.clear(),
  };
}

/** The users and the fingerprints that have values in this browser. */
export async function findOwners(): Promise<string[]> {
  if (!globalThis.indexedDB) return [];
  const database = await openDatabase();
  const keys = await readFrom(database, 'keys', (store) => store.getAllKeys());
  database.close();
  return keys.map(String);
}

/** Deletes what belongs to these users and roots. */
export async function clearOwners(owners: readonly string[]): Promise<void> {
  if (owners.length === 0) return;
  const database = await openDatabase();
  await deleteOwners(database, owners);
  database.close();
}
