import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { identify } from '../processes/running-process.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'watchdog-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('when the starter is killed, its processes are stopped and its files are removed', async () => {
  const leftover = join(folder, 'leftover');
  writeFileSync(leftover, '');
  const starter = spawn(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', starterCode(leftover)],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [text] = (await starter.stdout.take(1).toArray()) as [Buffer];
  const pid = Number(text);
  expect(identify(pid)).toBeDefined();

  starter.kill('SIGKILL');
  for (let tries = 0; (identify(pid) || existsSync(leftover)) && tries < 1_200; tries += 1) await pause(25);
  expect(identify(pid)).toBeUndefined();
  expect(existsSync(leftover)).toBe(false);
});

function starterCode(leftover: string): string {
  return `
    import { spawn } from 'node:child_process';
    import { claimHome, startWatchdog } from './scripts/local/claim-home.ts';
    import { openHome } from './scripts/local/home.ts';
    import { identify } from './scripts/processes/running-process.ts';
    const home = openHome(${JSON.stringify(join(folder, 'home'))});
    const claim = await claimHome(home, console.error);
    startWatchdog(home);
    const { pid } = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
    const started = { name: 'sleep', tier: 0, stopSignal: 'SIGTERM', pid, identity: identify(pid) };
    claim.update({ processes: [started], remove: [${JSON.stringify(leftover)}] });
    console.log(pid);
    setInterval(() => {}, 1000);
  `;
}
