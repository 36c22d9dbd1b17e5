// node scripts/run.mjs <command> [arguments]
//
// The one file that must run on a bare clone: it installs what package-lock.json names, then runs
// scripts/<command>.ts. It therefore imports nothing but Node itself.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  fail(
    `Expert Relay needs Node 20.19 or later, and this is ${process.version}: see https://nodejs.org/en/download`,
  );
}
if (process.platform === 'win32') fail('On Windows, run Expert Relay inside WSL: https://aka.ms/wsl');

const [command = '', ...args] = process.argv.slice(2);

// Each set has the packages of the one before it.
const sets = ['start', 'test', 'all'];
/** Workspaces with the packages that only `npm run test:all` and the checks need: frameworks, generators, linters. */
const onlyForAll = ['examples/frameworks', 'packages/adapters', 'test/all'];
install();
// A command of package.json that is no script of ours goes on from here.
if (command === 'install') process.exit();
const { reportFailure, UsageError, [command]: run } = await load();
try {
  if (run.length === 0 && args.length > 0) {
    throw new UsageError(
      `"${args[0]}" is not expected: this command takes no arguments. All commands: README.md`,
    );
  }
  await run(args);
} catch (error) {
  process.exitCode = reportFailure(error);
}
// A handle that a library has left open must not keep a finished command running.
process.exit();

/**
 * The command, and how its failures are reported. What runs until Ctrl-C is bundled first, and the bundler ended: tsx and its
 * compiler would stay, with 50 MB. Others may contain programs that find files by their own path.
 */
async function load() {
  if (!['start', 'dev', 'servers'].includes(command)) {
    const { register } = await import('tsx/esm/api');
    register();
    return { ...(await import('./terminal/failure.ts')), ...(await import(`./${command}.ts`)) };
  }
  const { build, stop } = await import('esbuild');
  // As far from the root as scripts/local/home.ts, which finds the root by its own path.
  const outfile = join(modules, '.relay-commands', `${command}-${process.pid}.mjs`);
  try {
    await build({
      absWorkingDir: root,
      stdin: {
        contents: `export * from './terminal/failure.ts'; export * from './${command}.ts';`,
        resolveDir: join(root, 'scripts'),
      },
      outfile,
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      target: 'node20.19',
      conditions: ['relay-source'],
      logLevel: 'warning',
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    await stop();
    rmSync(outfile, { force: true });
  }
}

/** The packages that the command needs. */
function neededSet() {
  if (['start', 'servers'].includes(command)) return 'start';
  if (command === 'dev' || (command === 'test' && !/^--(all|rest)$/.test(args[0] ?? ''))) return 'test';
  return 'all';
}

/** Brings node_modules to what the lock file says, unless it is there already. */
function install() {
  const stampFile = join(modules, '.relay-stamp-install');
  const lock = readFileSync(join(root, 'package-lock.json'));
  const locked = createHash('sha256').update(lock).digest('hex');
  const [installedLock, installedSet = ''] = existsSync(stampFile)
    ? readFileSync(stampFile, 'utf8').split(' ')
    : [];
  const set = sets[Math.max(sets.indexOf(neededSet()), sets.indexOf(installedSet))] ?? 'all';
  if (installedLock === locked && installedSet === set) return;
  // Only a finished installation has one.
  rmSync(stampFile, { force: true });
  const began = performance.now();
  console.log('  … install    usually half a minute');
  const packages = packagesOf(set, JSON.parse(lock.toString()));
  // `npm ci` begins with an empty folder, and the product may be running from a finished one: that is only changed.
  const command = installedLock ? ['install', '--no-save'] : ['ci'];
  const { status, stderr, error } = spawnSync('npm', [...command, ...packages, '--no-audit', '--no-fund'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (/ENOSPC|no space left on device/i.test(stderr ?? '')) {
    fail(
      `The disk is full. Free about 1 GB for ${modules} and npm's cache, then run the same command again.`,
    );
  }
  if (status !== 0) {
    fail(
      `${stderr || error?.message}\nnpm ${command[0]} failed. Repair what it says above, then run the same command again.`,
    );
  }
  writeFileSync(stampFile, `${locked} ${set}`);
  console.log(`  ✓ install    ${((performance.now() - began) / 1000).toFixed(1)} s`);
}

/**
 * What npm is told to install. The lock file names the workspaces.
 * @param {string} set
 * @param {{ packages: Record<string, unknown> }} lock
 */
function packagesOf(set, { packages }) {
  if (set === 'all') return ['--include=dev'];
  const workspaces = Object.keys(packages).filter(
    (path) => path !== '' && !path.includes('node_modules/') && !onlyForAll.includes(path),
  );
  return [
    set === 'start' ? '--omit=dev' : '--include=dev',
    '--include-workspace-root',
    ...workspaces.map((path) => `--workspace=${path}`),
  ];
}

/** @param {string} message @returns {never} */
function fail(message) {
  console.error(`\n${message}\n`);
  process.exit(1);
}
