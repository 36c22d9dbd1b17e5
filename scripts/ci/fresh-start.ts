// node --import tsx scripts/ci/fresh-start.ts
//
// What a new user does: clone into an empty folder, `npm start`, submit, see the event arrive, Ctrl-C; then install
// the packages in a project of their own, as README.md says.
import { deepStrictEqual } from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, openStream, submit, topicUrl } from '@expert-relay/testkit';
import { blocks } from '../../test/examples/blocks.ts';
import type { DevJson } from '../local/dev-json.ts';
import { identify } from '../processes/running-process.ts';

const startLimit = 300_000;
const folder = mkdtempSync(join(tmpdir(), 'relay fresh clone '));
const clone = join(folder, 'expert-relay');
const home = join(folder, 'home');
mkdirSync(home);
try {
  execFileSync('git', ['clone', '--quiet', process.cwd(), clone]);
  // Detached: a process group of its own, as a terminal gives it.
  const stdio = ['ignore', 'inherit', 'inherit'] as const;
  const npm = spawn('npm', ['start'], { cwd: clone, env: newUser(), detached: true, stdio: [...stdio] });
  try {
    await tryOut(npm, join(clone, '.relay/dev.json'));
  } finally {
    if (npm.pid && !hasEnded(npm)) process.kill(-npm.pid, 'SIGKILL');
  }
  const written = readdirSync(home);
  if (written.length > 0) throw new Error(`npm start wrote into the home folder: ${written.join(', ')}`);
  installElsewhere();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function newUser(): NodeJS.ProcessEnv {
  const { XDG_CONFIG_HOME, XDG_CACHE_HOME, XDG_DATA_HOME, ...env } = process.env;
  // An empty home folder shows what is written there. Only what was downloaded before is taken from the real one.
  env.npm_config_cache = execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim();
  env.RELAY_CACHE ??= join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'expert-relay');
  env.HOME = home;
  // A new user has no servers.
  for (const name of ['RELAY_HOME', 'DATABASE_URL', 'DATABASE_DIRECT_URL', 'REDIS_URL', 'NATS_URL'])
    delete env[name];
  return env;
}

/** From the start to Ctrl-C, after which nothing may run. */
async function tryOut(npm: ChildProcess, devJson: string): Promise<void> {
  const isReady = () => {
    if (hasEnded(npm)) throw new Error('npm start ended before it was ready.');
    return existsSync(devJson);
  };
  await eventually('npm start is ready', isReady, { timeoutMs: startLimit });
  const run: DevJson = JSON.parse(readFileSync(devJson, 'utf8'));
  await submitAndWatch(run);

  process.kill(-(npm.pid ?? 0), 'SIGINT');
  await eventually('npm start ends after Ctrl-C', () => hasEnded(npm), { timeoutMs: 30_000 });
  const left = Object.entries(run.pids).filter(([, pid]) => identify(pid));
  if (left.length > 0) throw new Error(`Ctrl-C left these running: ${JSON.stringify(left)}`);
}

/** Subscribes to the provider topic, submits, and checks the event. */
async function submitAndWatch({
  gatewayUrl,
  hubUrl,
  userId,
  consumerKey,
  providerKey,
}: DevJson): Promise<void> {
  const headers = { 'x-api-key': providerKey };
  const stream = await openStream(topicUrl(hubUrl, `/svc/providers/${userId}`), { headers });
  const question = `Does a fresh clone work? ${crypto.randomUUID()}`;
  const began = performance.now();
  const { body } = await submit(gatewayUrl, consumerKey, { question });
  const { data } = await stream.next({ question }, { timeoutMs: 5_000 });
  deepStrictEqual(JSON.parse(data), { type: 'new_request', refCode: body.refCode, question });
  console.log(`new_request arrived ${(performance.now() - began).toFixed(0)} ms after the submit was sent`);
  await stream.close();
}

/** By the commands of README.md, as they are there. */
function installElsewhere(): void {
  const [commands = ''] = blocks('README.md', 'sh').filter((block) => block.startsWith('npm run pack\n'));
  const options = { cwd: clone, env: newUser(), encoding: 'utf8', timeout: startLimit } as const;
  const printed = execFileSync('bash', ['-e', '-c', commands], options);
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const installed = printed.trim().split('\n').at(-1);
  if (installed !== version)
    throw new Error(`relay --version printed ${installed}, not ${version}:\n${printed}`);
  console.log(`relay ${version} runs where it was installed`);
}

/** With an exit code or, as npm does after Ctrl-C, by the signal. */
function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
