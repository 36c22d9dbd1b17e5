/** A step that failed for a reason that the reader can remove: the message says how. */
export class StepError extends Error {
  override readonly name = 'StepError';
  /** The last lines that the failed program printed. */
  readonly output: readonly string[];

  constructor(message: string, options: { output?: readonly string[]; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.output = options.output ?? [];
  }
}

/** A command line that is wrong: the message says what is possible. */
export class UsageError extends StepError {}

/** The last lines of a program's output. */
export function lastLines(text: string, count = 20): string[] {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .slice(-count);
}

/** The message and the last line of output, as part of a longer message. */
export function inOneLine(error: unknown): string {
  const last = error instanceof StepError ? error.output.at(-1) : undefined;
  const { message } = error as Error;
  return last ? `${message}: ${last.trim()}` : message;
}

/** Reports why a command failed: sentences for expected reasons, a stack for a bug. Returns the exit code. */
export function reportFailure(error: unknown): 1 | 2 {
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof TypeError && String(code).startsWith('ERR_PARSE_ARGS')) {
    console.error(`\n${message}\nWhat each command takes: README.md\n`);
    return 2;
  }
  const sentence = explainDisk(error);
  if (sentence) {
    console.error(`\n${sentence}\n`);
    return 1;
  }
  if (!(error instanceof StepError)) {
    // What the system refuses is no bug: its message names the file and the reason.
    console.error(syscall ? `\n${message}\n` : error);
    return 1;
  }
  const output = error.output.map((line) => `    ${line}`);
  console.error(['', ...output, ...(output.length > 0 ? [''] : []), error.message, ''].join('\n'));
  return error instanceof UsageError ? 2 : 1;
}

/** A full disk, reported to this process, a compiler or a server, as one sentence. */
function explainDisk(error: unknown): string | undefined {
  const { code, path, message } = error as NodeJS.ErrnoException;
  const reports = [code ?? '', ...(error instanceof StepError ? [message, ...error.output] : [])].join('\n');
  const isFull = /\b(ENOSPC|EDQUOT)\b|no space left on device/i.test(reports);
  return isFull
    ? `The disk is full${path ? ` (${path})` : ''}. Free about 1 GB, then run the same command again.`
    : undefined;
}
