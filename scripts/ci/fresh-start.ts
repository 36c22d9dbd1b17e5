// node --import tsx scripts/ci/fresh-start.ts
//
// What a newcomer does: clone into an empty folder, `npm start`, submit, watch the event arrive, Ctrl-C; then install
// the packages in a project of their own, as README.md says.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { blocks } from '../../test/examples/blocks.ts';
import type { DevJson } from '../local/dev-json.ts';
import { submitAndWatch } from './submit-and-watch.ts';

const startLimit = 300_000;
const stopLimit = 30_000;

const folder = mkdtempSync(join(tmpdir(), 'relay fresh clone '));
const clone = join(folder, 'expert-relay');
const home = join(folder, 'home');
mkdirSync(home);
try {
  execFileSync('git', ['clone', '--quiet', process.cwd(), clone]);
  const launcher = start(clone);
  try {
    const run = await untilReady(launcher, join(clone, '.relay', 'dev.json'));
    const delay = await submitAndWatch(run);
    console.log(`new_request arrived ${delay.toFixed(0)} ms after the submit was sent`);
    await pressCtrlC(launcher);
    const left = Object.entries(run.pids).filter(([, pid]) => isAlive(pid));
    if (left.length > 0) throw new Error(`Ctrl-C left these running: ${JSON.stringify(left)}`);
    const written = readdirSync(home);
    if (written.length > 0) throw new Error(`npm start wrote into the home folder: ${written.join(', ')}`);
    installElsewhere();
  } finally {
    if (launcher.pid && !hasEnded(launcher)) process.kill(-launcher.pid, 'SIGKILL');
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** By the commands of README.md, as they are there. */
function installElsewhere(): void {
  const [commands = ''] = blocks('README.md', 'sh').filter((block) => block.startsWith('npm run pack\n'));
  const options = { cwd: clone, env: newcomer(), encoding: 'utf8', timeout: startLimit } as const;
  const printed = execFileSync('bash', ['-e', '-c', commands], options);
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const installed = printed.trim().split('\n').at(-1);
  if (installed !== version)
    throw new Error(`relay --version printed ${installed}, not ${version}:\n${printed}`);
  console.log(`relay ${version} runs where it was installed`);
}

function newcomer(): NodeJS.ProcessEnv {
  const { XDG_CONFIG_HOME, XDG_CACHE_HOME, XDG_DATA_HOME, ...env } = process.env;
  // An empty home folder shows what is written there. Only what was downloaded before is taken from the real one.
  env.npm_config_cache = execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim();
  env.RELAY_CACHE = join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'expert-relay');
  env.HOME = home;
  // A newcomer has no servers of their own.
  for (const name of ['RELAY_HOME', 'DATABASE_URL', 'DATABASE_DIRECT_URL', 'REDIS_URL', 'NATS_URL'])
    delete env[name];
  return env;
}

function start(cwd: string): ChildProcess {
  // Detached: a process group of its own, as a terminal gives it.
  return spawn('npm', ['start'], {
    cwd,
    env: newcomer(),
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

async function untilReady(launcher: ChildProcess, file: string): Promise<DevJson> {
  const deadline = Date.now() + startLimit;
  while (!existsSync(file)) {
    if (hasEnded(launcher)) throw new Error('npm start ended before it was ready.');
    if (Date.now() > deadline) throw new Error(`npm start was not ready after ${startLimit / 1000} s.`);
    await pause(100);
  }
  return JSON.parse(readFileSync(file, 'utf8'));
}

async function pressCtrlC(launcher: ChildProcess): Promise<void> {
  process.kill(-(launcher.pid ?? 0), 'SIGINT');
  const deadline = Date.now() + stopLimit;
  while (!hasEnded(launcher)) {
    if (Date.now() > deadline) throw new Error(`npm start still ran ${stopLimit / 1000} s after Ctrl-C.`);
    await pause(50);
  }
}

/** By itself or, as npm does after Ctrl-C, by the signal. */
function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
