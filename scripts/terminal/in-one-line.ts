import { StepError } from './step-error.ts';

/** What failed and the last thing that was heard of it, as part of a longer message. */
export function inOneLine(error: unknown): string {
  const last = error instanceof StepError ? error.output.at(-1) : undefined;
  const { message } = error as Error;
  return last ? `${message}: ${last.trim()}` : message;
}
