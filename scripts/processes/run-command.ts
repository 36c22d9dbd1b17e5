import { execFile } from 'node:child_process';
import { lastLines } from '../terminal/last-lines.ts';
import { StepError } from '../terminal/step-error.ts';

export interface Command {
  command: string;
  args: readonly string[];
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  timeout?: number;
  uid?: number;
  gid?: number;
  /** Says what failed and what to do next. Its last lines of output are shown above. */
  failure: string;
}

/** Runs a program to its end and answers what it printed; it prints nothing on the terminal. */
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
