import { StepError } from './step-error.ts';

/** What ends a command that did not work: sentences for what was foreseen, a stack for a bug. */
export function reportFailure(error: unknown): void {
  if (!(error instanceof StepError)) {
    console.error(error);
    return;
  }
  const output = error.output.map((line) => `    ${line}`);
  console.error(['', ...output, ...(output.length > 0 ? [''] : []), error.message, ''].join('\n'));
}
