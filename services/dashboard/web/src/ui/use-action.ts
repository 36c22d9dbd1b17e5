import { useState } from 'react';

export interface Action<Input extends readonly unknown[]> {
  /** Resolves with whether it succeeded. While it runs, another call changes nothing. */
  run(...input: Input): Promise<boolean>;
  readonly isBusy: boolean;
  /** Why the last call failed, until the next one or `reset`. */
  readonly error: unknown;
  reset(): void;
}

/**
 * Work that a button begins. Unlike a mutation of TanStack Query it keeps neither input nor outcome, which may be a
 * secret.
 */
export function useAction<Input extends readonly unknown[]>(
  work: (...input: Input) => Promise<unknown>,
): Action<Input> {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  return {
    isBusy,
    error,
    reset: () => setError(undefined),
    async run(...input) {
      if (isBusy) return false;
      setIsBusy(true);
      setError(undefined);
      try {
        await work(...input);
        return true;
      } catch (caught) {
        setError(caught ?? new Error('It failed.'));
        return false;
      } finally {
        setIsBusy(false);
      }
    },
  };
}
