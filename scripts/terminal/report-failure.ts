import { StepError } from './step-error.ts';
import { UsageError } from './usage-error.ts';

/** What ends a command that did not work: sentences for what was foreseen, a stack for a bug. Gives the exit code. */
export function reportFailure(error: unknown): 1 | 2 {
  if (isUnknownOption(error)) {
    console.error(`\n${error.message}\nWhat each command takes: README.md\n`);
    return 2;
  }
  if (!(error instanceof StepError)) {
    console.error(error);
    return 1;
  }
  const output = error.output.map((line) => `    ${line}`);
  console.error(['', ...output, ...(output.length > 0 ? [''] : []), error.message, ''].join('\n'));
  return error instanceof UsageError ? 2 : 1;
}

/** Node's own words for it are good enough, its stack is not. */
function isUnknownOption(error: unknown): error is Error {
  return (
    error instanceof TypeError && String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')
  );
}
