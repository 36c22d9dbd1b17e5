import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

export interface WorkerProcess {
  /** Ends it without a chance to clean up, as a power cut does. */
  kill(): Promise<void>;
}

/** Starts the built worker as a process; its clock is wrong by `clockShift` milliseconds. */
export function spawnWorker(env: Readonly<Record<string, string>>, clockShift = 0): WorkerProcess {
  const worker = spawn(
    process.execPath,
    [
      '--import',
      `${root}/test/faults/environment/shift-clock.mjs`,
      `${root}/services/expiry-worker/dist/main.js`,
    ],
    {
      env: {
        PATH: process.env.PATH ?? '',
        RELAY_LOG_LEVEL: 'warn',
        FAULT_CLOCK_SHIFT: String(clockShift),
        ...env,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  return {
    async kill() {
      worker.kill('SIGKILL');
      await exited;
    },
  };
}
