import { findHelm } from './chart/testing/find-helm.ts';
import { withTemporaryRun } from './local/with-run.ts';
import { findTools, programsForTests } from './servers/find-tool.ts';
import { checkNamedServers } from './servers/named-servers.ts';
import { openServers } from './servers/open-servers.ts';
import { chromium, postgresWithTools, promtool } from './servers/tools.ts';
import { buildProduct } from './steps/build.ts';
import { runJest } from './steps/run-jest.ts';
import { createTerminal } from './terminal/terminal.ts';

/** `npm test`: all tests, or those that the arguments name, over real servers of their own. */
export async function test(args: string[]): Promise<void> {
  const terminal = createTerminal();
  // What must be fetched or compiled for minutes begins before the tests that need it. These report what fails.
  if (args.every((arg) => arg.startsWith('-'))) {
    void findHelm();
    void findTools([chromium, postgresWithTools, promtool]);
  }
  const code = await withTemporaryRun('test', terminal, async (run) => {
    await checkNamedServers();
    await buildProduct(terminal);
    const urls = await terminal.step('servers', (detail) => openServers(run, { durable: false, detail }));
    terminal.line();
    // Tests that start a server of their own find the programs that this run has fetched.
    const { cache } = run.home;
    return runJest(run, { args, env: { ...urls, ...(await programsForTests(cache)), RELAY_CACHE: cache } });
  });
  process.exitCode = code ?? 130;
}
