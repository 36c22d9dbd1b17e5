// node scripts/run.mjs <command> [arguments]
//
// The one file that must run on a bare clone: it installs what package-lock.json names, then hands
// over to scripts/<command>.ts. It therefore imports nothing but Node itself.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir, constants as osConstants, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.relay-stamp');
/** @type {NodeJS.Signals[]} */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

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

await install();
const { register } = await import('tsx/esm/api');
register();
const { reportFailure } = await import('./terminal/failure.ts');
const { UsageError } = await import('./terminal/failure.ts');
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
// A handle that a library has left open, such as esbuild's process, must not keep a finished command running.
process.exit();

/** Brings node_modules to what the lock file says, unless it is there already. */
async function install() {
  const wanted = fingerprint();
  if (read(stampFile) === wanted) return;
  for (const folder of [root, modules].filter((path) => existsSync(path))) {
    if (!writable(folder)) {
      fail(
        `You cannot write into ${folder}, where everything is installed. Clone Expert Relay into a folder of yours.`,
      );
    }
  }
  if (installedByHand()) {
    writeFileSync(stampFile, wanted);
    return;
  }
  const began = performance.now();
  show('  … install');
  let result = await npm('ci');
  // Registries behind a wall may lack the packages for other systems, which `npm ci` asks about all the
  // same. Installing takes what the lock file says, too, and forgives that.
  if (result.output.includes('EUSAGE')) result = await npm('install', '--no-save');
  const { status, output, error, signal } = result;
  show('');
  if (signal) {
    console.error(
      '\nThe installation was interrupted, and npm has cleared up. The same command begins anew.\n',
    );
    process.exit(128 + osConstants.signals[signal]);
  }
  if (/ENOSPC|no space left on device/i.test(output)) {
    fail(
      `The disk is full. Free about 1 GB for ${modules} and npm's cache, then run the same command again.`,
    );
  }
  if (status !== 0) {
    fail(
      [
        ...output.trimEnd().split('\n').slice(-30),
        '',
        error
          ? `npm could not be run (${error.message}). It comes with Node: https://nodejs.org/en/download`
          : 'Installing the packages failed; npm says above why. Repair that, then run the same command again.',
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
  const web = 'services/dashboard/web/package.json';
  if (existsSync(join(root, web))) manifests.push(web);
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

/**
 * Runs npm to its end, also when it is interrupted: npm then undoes what it began, and a second installation beside
 * that would fail.
 * @param {string[]} args
 * @returns {Promise<{ status?: number | null, output: string, error?: Error, signal?: NodeJS.Signals }>}
 */
function npm(...args) {
  const own = process.env.npm_execpath?.endsWith('npm-cli.js') ? [process.env.npm_execpath] : [];
  const [program = '', ...first] = own.length > 0 ? [process.execPath, ...own] : ['npm'];
  const options = [...first, ...args, '--no-audit', '--no-fund'];
  return new Promise((resolve) => {
    // Detached, so that a Ctrl-C does not reach it: npm gets one signal, since a second one ends it at once.
    const child = spawn(program, options, { cwd: root, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    /** @type {NodeJS.Signals | undefined} */
    let signal;
    let signalledAt = 0;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    /** @param {NodeJS.Signals} name */
    const interrupt = (name) => {
      if (signal === undefined) {
        show('  … install  interrupted: npm clears up');
        [signal, signalledAt] = [name, Date.now()];
        child.kill(name);
      } else if (child.pid && Date.now() - signalledAt > 500) {
        // The `npm start` around this process passes on the signal that the terminal sends, so the first two are one.
        process.kill(-child.pid, 'SIGKILL');
      }
    };
    for (const name of signals) process.on(name, interrupt);
    /** @param {{ status?: number | null, error?: Error }} end */
    const finish = (end) => {
      for (const name of signals) process.off(name, interrupt);
      resolve({ ...end, output, ...(signal && { signal }) });
    };
    child.once('error', (error) => finish({ error }));
    child.once('close', (status) => finish({ status }));
  });
}

/** @param {string} text */
function show(text) {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${text}`);
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
