import { RelayError } from './relay-error.ts';

/** A function that loads a module with its first call. */
export function loadLater<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((cause: unknown) => {
      loading = undefined;
      throw new RelayError('unreachable', 'A part of this program could not be loaded: start it again.', {
        cause,
      });
    });
    return loading;
  };
}
