import { useState } from 'react';

export interface Action<Input extends readonly unknown[]> {
  /** Resolves with whether it succeeded. A call while another one runs does nothing. */
  run(...input: Input): Promise<boolean>;
  readonly isBusy: boolean;
  /** The error of the last call, until the next call or `reset`. */
  readonly error: unknown;
  reset(): void;
}

/**
 * The state of an action that a button starts. Unlike a mutation of TanStack Query it stores neither input nor result,
 * since these may be secret.
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
