import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../local/home.ts';
import type { Run } from '../local/with-run.ts';

/** Runs Jest. Returns its exit code. What the tests leave in the temporary folder is removed with the run. */
export function runJest(
  run: Run,
  { args, env }: { args: readonly string[]; env: NodeJS.ProcessEnv },
): Promise<number> {
  const TMPDIR = run.home.file('tmp');
  mkdirSync(TMPDIR);
  // Open to all, as /tmp itself: programs of tests run as other users. The folder of a temporary run is its owner's.
  chmodSync(run.home.path, 0o755);
  chmodSync(TMPDIR, 0o1777);
  const jest = spawn(process.execPath, [join(root, 'node_modules/jest/bin/jest.js'), ...args], {
    cwd: root,
    env: { ...process.env, TMPDIR, RELAY_CPU_RECORD: run.home.file('cpu'), ...env },
    stdio: 'inherit',
  });
  run.supervisor.adopt('jest', jest.pid);
  return new Promise((resolve, reject) => {
    jest.once('error', reject);
    jest.once('exit', (code) => resolve(code ?? 1));
  });
}
