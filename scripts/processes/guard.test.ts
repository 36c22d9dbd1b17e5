import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { identify } from './process-identity.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'guard-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('when the launcher is killed, what it had started ends and what it had named is removed', async () => {
  const leftover = join(folder, 'leftover');
  writeFileSync(leftover, '');
  const launcher = spawn(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', launcherCode(leftover)],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [text] = (await launcher.stdout.take(1).toArray()) as [Buffer];
  const pid = Number(text);
  expect(identify(pid)).toBeDefined();

  launcher.kill('SIGKILL');
  for (let tries = 0; (identify(pid) || existsSync(leftover)) && tries < 1_200; tries += 1) await pause(25);
  expect(identify(pid)).toBeUndefined();
  expect(existsSync(leftover)).toBe(false);
});

function launcherCode(leftover: string): string {
  return `
    import { spawn } from 'node:child_process';
    import { startGuard } from './scripts/processes/guard.ts';
    import { identify } from './scripts/processes/process-identity.ts';
    const guard = startGuard({
      programFile: ${JSON.stringify(join(folder, 'guardian.mjs'))},
      logFile: ${JSON.stringify(join(folder, 'log'))},
      began: () => {},
    });
    const { pid } = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
    const started = { name: 'sleep', tier: 0, stopSignal: 'SIGTERM', pid, identity: identify(pid) };
    guard.update({ stop: [started], remove: [${JSON.stringify(leftover)}] });
    console.log(pid);
    setInterval(() => {}, 1000);
  `;
}
