import { randomBytes } from 'node:crypto';
import { delimiter, dirname, isAbsolute } from 'node:path';
import { findHelm } from './chart/testing/find-helm.ts';
import { withTemporaryRun } from './local/with-run.ts';
import { checkNamedServers } from './servers/named-servers.ts';
import { openServers } from './servers/open-servers.ts';
import type { Launch } from './servers/server-kind.ts';
import { buildProduct } from './steps/build.ts';
import { runJest } from './steps/run-jest.ts';
import { createTerminal } from './terminal/terminal.ts';

/** `npm test`: all tests, or those that the arguments name, over real servers of their own. */
export async function test(args: string[]): Promise<void> {
  const terminal = createTerminal();
  // Where helm must be compiled, that takes minutes: it begins before the tests that need it.
  if (args.every((arg) => arg.startsWith('-'))) void findHelm();
  const code = await withTemporaryRun('test', terminal, async (run) => {
    await checkNamedServers();
    await buildProduct(terminal);
    const launches: Launch[] = [];
    const password = randomBytes(24).toString('base64url');
    const launched = (launch: Launch) => void launches.push(launch);
    const urls = await terminal.step('servers', (detail) =>
      openServers({ ...run, password, durable: false, detail, launched }),
    );
    terminal.line();
    return runJest(run, { args, env: { ...urls, ...pathTo(launches) } });
  });
  process.exitCode = code ?? 130;
}

/** For tests that start a server of their own: they find its program where this run has found it. */
function pathTo(launches: readonly Launch[]): NodeJS.ProcessEnv {
  const folders = launches
    .map(({ command }) => command)
    .filter(isAbsolute)
    .map(dirname);
  const env = Object.assign({}, ...launches.map((launch) => launch.env));
  return { ...env, PATH: [...new Set(folders), process.env.PATH].join(delimiter) };
}
