import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@expert-relay/testkit';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

/* The installation, in a checkout with nothing in it, by an npm that does what a test says. */

let checkout: string;
const at = (file: string) => join(checkout, file);

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'relay-install-'));
  for (const folder of ['scripts', 'bin']) mkdirSync(at(folder));
  copyFileSync('scripts/run.mjs', at('scripts/run.mjs'));
  writeFileSync(at('package.json'), '{}');
  lockReact('1');
  writeFileSync(at('scripts/start.ts'), '');
});
afterEach(() => {
  chmodSync(checkout, 0o755);
  rmSync(checkout, { recursive: true });
});

function lockReact(version: string): void {
  writeFileSync(
    at('package-lock.json'),
    JSON.stringify({ packages: { '': {}, 'node_modules/react': { version } } }),
  );
}

interface Started {
  child: ChildProcess;
  ended: Promise<{ code: number | null; errors: string }>;
}

function start(npm: string): Started {
  writeFileSync(at('bin/npm'), `#!${process.execPath}\n${npm}`, { mode: 0o755 });
  const env = { PATH: `${at('bin')}:${process.env.PATH}` };
  // Root may write everywhere, so it tries as a user who may not.
  const account = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  const child = spawn(process.execPath, [at('scripts/run.mjs'), 'start'], {
    cwd: checkout,
    env,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...account,
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  return { child, ended: once(child, 'close').then(([code]) => ({ code, errors: errors.trim() })) };
}

test('Ctrl-C waits until npm has cleaned up, and npm gets one signal', async () => {
  chmodSync(checkout, 0o777);
  const { child, ended } = start(`
    const { appendFileSync, existsSync, writeFileSync } = require('node:fs');
    process.on('SIGINT', () => appendFileSync('signals', 'SIGINT '));
    writeFileSync('signals', '');
    setInterval(() => existsSync('clean up') && (writeFileSync('cleaned', ''), process.exit(1)), 10);
  `);
  await eventually('npm to begin', () => existsSync(at('signals')));
  // Once by the terminal, once by the npm that runs the script.
  process.kill(-(child.pid ?? 0), 'SIGINT');
  process.kill(child.pid ?? 0, 'SIGINT');
  await eventually('npm to get the signal', () => readFileSync(at('signals'), 'utf8') !== '');
  expect(existsSync(at('cleaned'))).toBe(false);
  writeFileSync(at('clean up'), '');
  const { code, errors } = await ended;
  expect({ code, cleaned: existsSync(at('cleaned')), errors }).toEqual({
    code: 130,
    cleaned: true,
    errors: expect.stringContaining('Run the same command again.'),
  });
  expect(readFileSync(at('signals'), 'utf8')).toBe('SIGINT ');
});

test('a folder that cannot be written into: one sentence', async () => {
  chmodSync(checkout, 0o555);
  expect(await start('').ended).toEqual({
    code: 1,
    errors: `You cannot write into ${checkout}/, where everything is installed. Clone Expert Relay into a folder of yours.`,
  });
});

test('a full disk: one sentence', async () => {
  chmodSync(checkout, 0o777);
  const npm = "console.error('npm error nospc ENOSPC: no space left on device, write'); process.exit(1);";
  expect(await start(npm).ended).toEqual({
    code: 1,
    errors: expect.stringMatching(/^The disk is full\. Free about 1 GB for \S+ and npm's cache, .*$/),
  });
});

test('packages are installed again when those of the lock file change', async () => {
  chmodSync(checkout, 0o777);
  const installs = async (version: string) => {
    lockReact(version);
    await start(`
      const { appendFileSync, copyFileSync, mkdirSync } = require('node:fs');
      mkdirSync('node_modules', { recursive: true });
      copyFileSync('package-lock.json', 'node_modules/.package-lock.json');
      appendFileSync('installs', 'x');
    `).ended;
    return readFileSync(at('installs'), 'utf8').length;
  };
  expect(await installs('1')).toBe(1);
  expect(await installs('1')).toBe(1);
  expect(await installs('2')).toBe(2);
});
