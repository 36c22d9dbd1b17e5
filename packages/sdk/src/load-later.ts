import { RelayError } from './relay-error.ts';

const notLoaded = 'A part of this program could not be loaded: start it again.';

/**
 * Whether an error says that a part of this package could not be loaded. A page whose server has a newer build must be loaded
 * again then.
 */
export const isLoadFailure = (error: unknown): error is RelayError =>
  error instanceof RelayError && error.message === notLoaded;

/** A function that loads a module with its first call. */
export function loadLater<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((cause: unknown) => {
      loading = undefined;
      throw new RelayError('unreachable', notLoaded, { cause });
    });
    return loading;
  };
}
