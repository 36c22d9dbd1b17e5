import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

/* The installation, in a checkout with nothing in it, by an npm that does what a test says. */

let checkout: string;
const at = (file: string) => join(checkout, file);

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'relay-install-'));
  for (const folder of ['scripts', 'bin']) mkdirSync(at(folder));
  copyFileSync('scripts/run.mjs', at('scripts/run.mjs'));
  writeFileSync(at('package.json'), '{}');
  lock({ react: { version: '1' } });
  for (const command of ['start', 'test']) writeFileSync(at(`scripts/${command}.ts`), '');
});
afterEach(() => {
  rmSync(checkout, { recursive: true });
});

function lock(packages: Record<string, { version: string }>): void {
  const entries = Object.entries(packages).map(([name, entry]) => [`node_modules/${name}`, entry]);
  const workspaces = ['packages/sdk', 'packages/adapters', 'test/all'].map((path) => [path, {}]);
  writeFileSync(
    at('package-lock.json'),
    JSON.stringify({ packages: Object.fromEntries([['', {}], ...workspaces, ...entries]) }),
  );
}

async function start(npm: string, command = 'start', ...args: string[]) {
  writeFileSync(at('bin/npm'), `#!${process.execPath}\n${npm}`, { mode: 0o755 });
  const env = { PATH: `${at('bin')}:${process.env.PATH}` };
  const child = spawn(process.execPath, [at('scripts/run.mjs'), command, ...args], {
    cwd: checkout,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const [code] = await once(child, 'close');
  return { code, errors: errors.trim() };
}

test('a full disk: one sentence', async () => {
  const npm = "console.error('npm error nospc ENOSPC: no space left on device, write'); process.exit(1);";
  expect(await start(npm)).toEqual({
    code: 1,
    errors: expect.stringMatching(/^The disk is full\. Free about 1 GB for \S+ and npm's cache, .*$/),
  });
});

/** Runs a command with a fake npm, and returns the arguments of each call of npm. */
async function callsOfNpm(command: string, ...args: string[]): Promise<string[]> {
  writeFileSync(at('calls'), '');
  const npm = `
    const { appendFileSync, mkdirSync } = require('node:fs');
    appendFileSync('calls', process.argv.slice(2, -2).join(' ') + '\\n');
    mkdirSync('node_modules', { recursive: true });
  `;
  await start(npm, command, ...args);
  return readFileSync(at('calls'), 'utf8').split('\n').filter(Boolean);
}

const ofProduct = '--include-workspace-root --workspace=packages/sdk';
const forStart = `--omit=dev ${ofProduct}`;
const forTests = `--include=dev ${ofProduct}`;

test('packages are installed again when the lock file changes', async () => {
  expect(await callsOfNpm('start')).toEqual([`ci ${forStart}`]);
  expect(await callsOfNpm('start')).toEqual([]);
  lock({ react: { version: '2' } });
  expect(await callsOfNpm('start')).toEqual([`install --no-save ${forStart}`]);
});

test('each command has the packages that it needs, and more are added to what may be running', async () => {
  expect(await callsOfNpm('start')).toEqual([`ci ${forStart}`]);
  expect(await callsOfNpm('test', 'services/hub')).toEqual([`install --no-save ${forTests}`]);
  expect(await callsOfNpm('test', '--all')).toEqual(['install --no-save --include=dev']);
  for (const command of ['start', 'test', 'install']) expect(await callsOfNpm(command)).toEqual([]);
  lock({ react: { version: '2' } });
  expect(await callsOfNpm('start')).toEqual(['install --no-save --include=dev']);
});

test.each([
  ['test', '', forTests],
  ['test', '--rest', '--include=dev'],
  ['install', '', '--include=dev'],
])('without any packages, `%s %s` installs all at once', async (command, arg, packages) => {
  expect(await callsOfNpm(command, arg)).toEqual([`ci ${packages}`]);
});

test('an installation that did not finish is done again', async () => {
  await callsOfNpm('start');
  expect((await start('process.exit(1)', 'test')).code).toBe(1);
  expect(await callsOfNpm('start')).toEqual([`ci ${forStart}`]);
});

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
// `admin` uses what `npm start` has built, and `check` calls others.
const commands = Object.entries(scripts).filter(([name]) => !['admin', 'check'].includes(name));

test.each(commands)('`npm run %s` installs what it needs', (_name, line) => {
  expect(line).toMatch(/^(?:MALLOC_ARENA_MAX=2 )?(?:exec )?node (?:--optimize-for-size )?scripts\/run\.mjs /);
});

test('`install` does no more', async () => {
  expect(
    await start("require('node:fs').mkdirSync('node_modules/react', { recursive: true })", 'install'),
  ).toEqual({ code: 0, errors: '' });
});
