// node scripts/run.mjs <command> [arguments]
//
// The one file that must run on a bare clone: it installs what package-lock.json names, then hands
// over to scripts/<command>.ts. It therefore imports nothing but Node itself.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.relay-stamp');

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  fail(
    `Expert Relay needs Node 20.19 or later, and this is ${process.version}: see https://nodejs.org/en/download`,
  );
}
if (process.platform === 'win32') fail('On Windows, run Expert Relay inside WSL: https://aka.ms/wsl');

const [command = '', ...args] = process.argv.slice(2);
const commands = readdirSync(new URL('.', import.meta.url))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -3));
if (!commands.includes(command)) {
  fail(
    `There is no command "${command}". Say node scripts/run.mjs followed by one of: ${commands.join(', ')}`,
  );
}

// Accounts without a home of their own (nobody) need a place for npm's cache, now and later.
if (!writable(homedir()))
  process.env.npm_config_cache ??= join(tmpdir(), `expert-relay-npm-${userInfo().uid}`);

install();
const { register } = await import('tsx/esm/api');
register();
const { reportFailure } = await import('./terminal/report-failure.ts');
const { UsageError } = await import('./terminal/usage-error.ts');
try {
  const { [command]: run } = await import(`./${command}.ts`);
  if (run.length === 0 && args.length > 0) {
    throw new UsageError(
      `"${args[0]}" is too much here: this command takes nothing. All commands: README.md`,
    );
  }
  await run(args);
} catch (error) {
  process.exitCode = reportFailure(error);
}

/** Brings node_modules to what the lock file says, unless it is there already. */
function install() {
  const wanted = fingerprint();
  if (read(stampFile) === wanted) return;
  if (installedByHand()) {
    writeFileSync(stampFile, wanted);
    return;
  }
  const began = performance.now();
  if (process.stdout.isTTY) process.stdout.write('  … install');
  let result = npm('ci');
  // Registries behind a wall may lack the packages for other systems, which `npm ci` asks about all the
  // same. Installing takes what the lock file says, too, and forgives that.
  if (result.stderr?.includes('EUSAGE')) result = npm('install', '--no-save');
  const { status, stdout, stderr, error } = result;
  if (process.stdout.isTTY) process.stdout.write('\r\u001b[K');
  if (status !== 0) {
    const output = `${stdout ?? ''}${stderr ?? ''}`.trimEnd().split('\n').slice(-30);
    fail(
      [
        ...output,
        '',
        error
          ? `npm could not be run (${error.message}). It comes with Node: https://nodejs.org/en/download`
          : 'Installing the packages failed; npm says above why. Mend that, then run the same command again.',
      ].join('\n'),
    );
  }
  writeFileSync(stampFile, wanted);
  console.log(`  ✓ install  ${((performance.now() - began) / 1000).toFixed(1)} s`);
}

/** Changes whenever the packages to install may have changed. */
function fingerprint() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} `);
  const manifests = ['packages', 'services'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(folder, name, 'package.json')),
  );
  hash.update(read(join(root, 'package-lock.json')) ?? '');
  for (const file of ['package.json', ...manifests.sort()]) {
    const { dependencies, devDependencies, overrides, bin } = JSON.parse(read(join(root, file)) ?? '{}');
    hash.update(JSON.stringify([file, dependencies, devDependencies, overrides, bin]));
  }
  return hash.digest('hex');
}

/** After an `npm install` by hand npm's own record of node_modules agrees with the lock file. */
function installedByHand() {
  if (existsSync(stampFile)) return false;
  const record = JSON.parse(read(join(modules, '.package-lock.json')) ?? '{}').packages;
  if (!record) return false;
  const lock = JSON.parse(read(join(root, 'package-lock.json')) ?? '{}').packages ?? {};
  return Object.entries(lock).every(([path, wanted]) => {
    if (!path.includes('node_modules/')) return true;
    const found = record[path];
    return found ? found.version === wanted.version && found.integrity === wanted.integrity : wanted.optional;
  });
}

/** @param {string[]} args */
function npm(...args) {
  const own = process.env.npm_execpath?.endsWith('npm-cli.js') ? [process.env.npm_execpath] : [];
  const [program = '', ...first] = own.length > 0 ? [process.execPath, ...own] : ['npm'];
  const options = [...first, ...args, '--no-audit', '--no-fund'];
  return spawnSync(program, options, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
}

/** @param {string} file */
function read(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** @param {string} folder */
function writable(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} message @returns {never} */
function fail(message) {
  console.error(`\n${message}\n`);
  process.exit(1);
}
