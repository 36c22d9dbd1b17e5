const name = 'expert-relay';

/** The database in the browser: `keys` has one AES key for each owner, which is a user or a root, and `values` has the data encrypted with it. */
export function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(name, 1);
    opening.onupgradeneeded = () => {
      opening.result.createObjectStore('keys');
      opening.result.createObjectStore('values');
    };
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
    opening.onblocked = () =>
      reject(
        new Error('Another tab has an old version of the database open. Close it, then reload this page.'),
      );
  });
}

type StoreName = 'keys' | 'values';

/** The result of one read. Reads run at the same time, and transactions that may write run one after another. */
export function readFrom<T>(
  database: IDBDatabase,
  store: StoreName,
  read: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const reading = read(database.transaction(store, 'readonly').objectStore(store));
    reading.onsuccess = () => resolve(reading.result);
    reading.onerror = () => reject(reading.error);
  });
}

/** Runs statements in one transaction. Resolves with the last result once the transaction is complete. */
export function transact<T>(
  database: IDBDatabase,
  stores: readonly StoreName[],
  run: (open: (name: StoreName) => IDBObjectStore, done: (result: T) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction([...stores], 'readwrite');
    let result: T;
    transaction.oncomplete = () => resolve(result);
    transaction.onabort = () => reject(transaction.error);
    run(
      (store) => transaction.objectStore(store),
      (value) => {
        result = value;
      },
    );
  });
}
