import { execFile } from 'node:child_process';
import { lastLines, StepError } from '../terminal/failure.ts';

export interface Command {
  command: string;
  args: readonly string[];
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  timeout?: number;
  uid?: number;
  gid?: number;
  /** What failed and what to do next. The last lines of output are shown above it. */
  failure: string;
}

/** Runs a program to its end and returns its standard output. Nothing is shown on the terminal. */
export function runCommand({ command, args, failure, ...options }: Command): Promise<string> {
  return new Promise((resolve, reject) => {
    const limits = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, killSignal: 'SIGKILL' } as const;
    execFile(command, args, { ...limits, ...options }, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const ended = error.killed ? `Ended after ${(options.timeout ?? 0) / 1000} s without a result.` : '';
      const output = lastLines(`${stdout}\n${stderr}\n${ended}`);
      reject(new StepError(failure, { output: output.length > 0 ? output : [error.message], cause: error }));
    });
  });
}
