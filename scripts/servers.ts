import { withRun } from './local/with-run.ts';
import { openServers } from './servers/open-servers.ts';

/** `npm run servers`: only Postgres, Redis and NATS, for tests and services started by hand. */
export async function servers(): Promise<void> {
  await withRun({}, async (run) => {
    const { terminal } = run;
    const urls = await terminal.step('servers', (detail) => openServers(run, { durable: true, detail }));
    terminal.line();
    for (const [name, url] of Object.entries(urls)) terminal.line(`export ${name}='${url}'`);
    terminal.line('\n  Stop: Ctrl-C\n');
    await run.interrupted;
  });
}
