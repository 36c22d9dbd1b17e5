import { StepError } from './step-error.ts';
import { UsageError } from './usage-error.ts';

/** Reports why a command failed: sentences for what was foreseen, a stack for a bug. Returns the exit code. */
export function reportFailure(error: unknown): 1 | 2 {
  if (isUnknownOption(error)) {
    console.error(`\n${error.message}\nWhat each command takes: README.md\n`);
    return 2;
  }
  const sentence = explainDisk(error);
  if (sentence) {
    console.error(`\n${sentence}\n`);
    return 1;
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

/** What this process, a compiler or a server could not write, as one sentence. */
function explainDisk(error: unknown): string | undefined {
  const { code, path, message, syscall } = error as NodeJS.ErrnoException;
  const reports = [code ?? '', ...(error instanceof StepError ? [message, ...error.output] : [])].join('\n');
  const where = path ? ` (${path})` : '';
  if (/\b(ENOSPC|EDQUOT)\b|no space left on device/i.test(reports)) {
    return `The disk is full${where}. Free about 1 GB, then run the same command again.`;
  }
  // On a read-only disk, making a folder with its parents fails with ENOENT.
  const isReadOnly = code === 'ENOENT' && syscall === 'mkdir';
  if (path && (isReadOnly || /^(EACCES|EPERM|EROFS)$/.test(code ?? ''))) {
    return `${path} cannot be written. Make that possible, or keep data elsewhere: RELAY_HOME=<folder>.`;
  }
  return undefined;
}
