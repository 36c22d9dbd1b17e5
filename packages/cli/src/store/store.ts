import { statSync } from 'node:fs';
import { join } from 'node:path';
import { RelayError, type Store } from '@expert-relay/sdk';
import { createFileStore } from '@expert-relay/sdk/node';
import { Failure } from '../failure.ts';
import { explainFileError } from './explain-file-error.ts';

/** `relays`: which addresses are those of a relay. `profiles`: what `relay login` has stored. */
type Part = 'agents' | 'experts' | 'relays' | 'profiles';

/** The folder of a part of the state. */
export const storeFolder = (folder: string, part: Part): string => join(folder, part);

/**
 * What is kept on this machine, for all API keys and relays: the SDK keeps their values apart, and a rotated key must not forget. A
 * value that cannot be used is a Failure that names its file.
 */
export function openStore(folder: string, part: Part): Store {
  const path = storeFolder(folder, part);
  const store = createFileStore(path);
  const explained =
    <A extends unknown[], T>(call: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      try {
        requireClosed(folder);
        return await call(...args);
      } catch (error) {
        throw RelayError.is(error, 'invalid_input')
          ? new Failure('state', error.message, { cause: error })
          : explainFileError(error, path);
      }
    };
  return {
    get: explained(store.get),
    set: explained(store.set),
    remember: explained(store.remember),
    delete: explained(store.delete),
    names: explained(store.names),
  };
}

/** The store checks its own folder. In this one, other users could put another in its place. */
function requireClosed(folder: string): void {
  const { mode = 0 } = statSync(folder, { throwIfNoEntry: false }) ?? {};
  // Windows has no such modes.
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw new Failure('state', `Other users can enter the folder ${folder}. Close it: chmod 700 '${folder}'`);
}

/** The fingerprints of the experts that agents on this machine know, by the names of their values. */
export async function knownExperts(store: Store): Promise<ReadonlyMap<string, string>> {
  const names = (await store.names('')).filter((name) => /(^|:)expert(:|$)/.test(name));
  const known = new Map<string, string>();
  for (const name of names) known.set(name, (await store.get(name)) ?? '');
  return known;
}
