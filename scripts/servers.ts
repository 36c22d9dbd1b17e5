import { withRun } from './local/with-run.ts';
import { programsForTests } from './servers/find-tool.ts';
import { openServers } from './servers/open-servers.ts';

/** `npm run servers`: only Postgres, Redis and NATS, for tests and services started by hand. */
export async function servers(): Promise<void> {
  await withRun({}, async (run) => {
    const { terminal } = run;
    const urls = await terminal.step('servers', (detail) => openServers(run, { durable: true, detail }));
    terminal.line();
    const exported = { ...urls, ...(await programsForTests(run.home.cache)) };
    for (const [name, value] of Object.entries(exported)) terminal.line(`export ${name}='${value}'`);
    terminal.line('\n  Stop: Ctrl-C\n');
    await run.interrupted;
  });
}
