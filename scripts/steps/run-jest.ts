import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../local/home.ts';
import type { Run } from '../local/with-run.ts';

/** Runs Jest in a checkout. Returns its exit code. */
export function runJest(
  run: Run,
  { args, env, folder = root }: { args: readonly string[]; env: NodeJS.ProcessEnv; folder?: string },
): Promise<number> {
  const jest = spawn(process.execPath, [join(folder, 'node_modules/jest/bin/jest.js'), ...args], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  run.supervisor.adopt('jest', jest.pid);
  return new Promise((resolve, reject) => {
    jest.once('error', reject);
    jest.once('exit', (code) => resolve(code ?? 1));
  });
}
