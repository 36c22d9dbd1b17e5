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
  for (const folder of ['scripts', 'packages', 'services']) mkdirSync(at(folder));
  copyFileSync('scripts/run.mjs', at('scripts/run.mjs'));
  for (const file of ['package.json', 'package-lock.json']) writeFileSync(at(file), '{}');
  writeFileSync(at('scripts/start.ts'), '');
});
afterEach(() => {
  chmodSync(checkout, 0o755);
  rmSync(checkout, { recursive: true });
});

interface Started {
  child: ChildProcess;
  ended: Promise<{ code: number | null; errors: string }>;
}

function start(npm: string): Started {
  writeFileSync(at('npm-cli.js'), npm);
  const env = { PATH: process.env.PATH, npm_execpath: at('npm-cli.js') };
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

test('Ctrl-C waits until npm has cleared up, and npm gets one signal', async () => {
  chmodSync(checkout, 0o777);
  const { child, ended } = start(`
    const { appendFileSync, existsSync, writeFileSync } = require('node:fs');
    process.on('SIGINT', () => appendFileSync('signals', 'SIGINT '));
    writeFileSync('signals', '');
    setInterval(() => existsSync('clear up') && (writeFileSync('cleared', ''), process.exit(1)), 10);
  `);
  await eventually('npm to begin', () => existsSync(at('signals')));
  // Once by the terminal, once by the npm that runs the script.
  process.kill(-(child.pid ?? 0), 'SIGINT');
  process.kill(child.pid ?? 0, 'SIGINT');
  await eventually('npm to get the signal', () => readFileSync(at('signals'), 'utf8') !== '');
  expect(existsSync(at('cleared'))).toBe(false);
  writeFileSync(at('clear up'), '');
  const { code, errors } = await ended;
  expect({ code, cleared: existsSync(at('cleared')), errors }).toEqual({
    code: 130,
    cleared: true,
    errors: expect.stringContaining('The same command begins anew.'),
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

test('packages are installed again when those of the web app change', async () => {
  chmodSync(checkout, 0o777);
  const web = at('services/dashboard/web');
  mkdirSync(web, { recursive: true });
  const installs = async (dependencies: object) => {
    writeFileSync(join(web, 'package.json'), JSON.stringify({ dependencies }));
    await start(`
      const { appendFileSync, mkdirSync } = require('node:fs');
      mkdirSync('node_modules', { recursive: true });
      appendFileSync('installs', 'x');
    `).ended;
    return readFileSync(at('installs'), 'utf8').length;
  };
  expect(await installs({ react: '1' })).toBe(1);
  expect(await installs({ react: '1' })).toBe(1);
  expect(await installs({ react: '2' })).toBe(2);
});
