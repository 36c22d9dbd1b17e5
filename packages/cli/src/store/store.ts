import { join } from 'node:path';
import { RelayError, type Store } from '@expert-relay/sdk';
import { createFileStore } from '@expert-relay/sdk/node';
import { Failure } from '../failure.ts';
import { explainFileError } from './private-folder.ts';

/**
 * What the SDK keeps on this machine, besides the conversations of agents. It belongs to all API keys, since a rotated key must not
 * forget; the SDK keeps their values apart.
 */
export function openStore(folder: string, side: 'agents' | 'experts'): Store {
  const path = join(folder, 'remembered', side);
  const store = createFileStore(path);
  const explained =
    <A extends unknown[], T>(call: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      try {
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

/** The fingerprints of the experts that agents on this machine know, by the names of their values. */
export async function knownExperts(store: Store): Promise<ReadonlyMap<string, string>> {
  const names = (await store.names('')).filter((name) => /(^|:)expert(:|$)/.test(name));
  const known = new Map<string, string>();
  for (const name of names) known.set(name, (await store.get(name)) ?? '');
  return known;
}
