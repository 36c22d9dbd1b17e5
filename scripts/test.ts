import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { findHelm } from './chart/testing/find-helm.ts';
import { openHome, root } from './local/home.ts';
import { type Run, withRun } from './local/with-run.ts';
import { identify } from './processes/process-identity.ts';
import { checkNamedServers } from './servers/check-named-servers.ts';
import { openServers } from './servers/open-servers.ts';
import type { Launch } from './servers/server-kind.ts';
import { buildAll } from './steps/build-all.ts';
import { generateAll } from './steps/generate-all.ts';
import { createTerminal } from './terminal/terminal.ts';

/** `npm test`: all tests, or those that the arguments name, over real servers of their own. */
export async function test(args: string[]): Promise<void> {
  const terminal = createTerminal();
  // Where it has to be compiled, that takes minutes: the first tests that need it come late enough then.
  if (args.every((arg) => arg.startsWith('-'))) void findHelm();
  const home = openHome(mkdtempSync(join(tmpdir(), 'expert-relay-test-')));
  try {
    const code = await withRun(
      { home, terminal, remove: [home.path] },
      async ({ ports, supervisor, adopt }) => {
        await checkNamedServers();
        await terminal.step('generate', generateAll);
        await terminal.step('build', buildAll);
        const launches: Launch[] = [];
        const password = randomBytes(24).toString('base64url');
        const urls = await terminal.step('servers', (detail) =>
          openServers({
            home,
            ports,
            supervisor,
            password,
            durable: false,
            detail,
            launched: (launch) => launches.push(launch),
          }),
        );
        terminal.line();
        return runJest(args, { ...urls, ...atHand(launches) }, adopt);
      },
    );
    process.exitCode = code ?? 130;
  } finally {
    rmSync(home.path, { recursive: true, force: true });
  }
}

/** Tests that take a server away start one of their own: they find its program where this run found it. */
function atHand(launches: readonly Launch[]): NodeJS.ProcessEnv {
  const folders = launches
    .map(({ command }) => command)
    .filter(isAbsolute)
    .map(dirname);
  const env = Object.assign({}, ...launches.map((launch) => launch.env));
  return { ...env, PATH: [...new Set(folders), process.env.PATH].join(delimiter) };
}

function runJest(args: readonly string[], urls: NodeJS.ProcessEnv, adopt: Run['adopt']): Promise<number> {
  const options = [
    process.env.NODE_OPTIONS,
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
  ];
  const jest = spawn(process.execPath, [join(root, 'node_modules/jest/bin/jest.js'), ...args], {
    cwd: root,
    env: { ...process.env, ...urls, NODE_OPTIONS: options.filter(Boolean).join(' ') },
    stdio: 'inherit',
  });
  const identity = jest.pid && identify(jest.pid);
  if (jest.pid && identity) adopt({ name: 'jest', tier: 4, stopSignal: 'SIGTERM', pid: jest.pid, identity });
  return new Promise((resolve, reject) => {
    jest.once('error', reject);
    jest.once('exit', (code) => resolve(code ?? 1));
  });
}
