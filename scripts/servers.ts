import { openHome } from './local/home.ts';
import { readSecrets } from './local/secrets.ts';
import { withRun } from './local/with-run.ts';
import { openServers } from './servers/open-servers.ts';
import { createTerminal } from './terminal/terminal.ts';

/** `npm run servers`: Postgres, Redis and NATS alone, for tests and services started by hand. */
export async function servers(): Promise<void> {
  const terminal = createTerminal();
  await withRun({ home: openHome(), terminal }, async ({ home, ports, supervisor, interrupted }) => {
    const { postgresPassword: password } = readSecrets(home);
    const urls = await terminal.step('servers', (detail) =>
      openServers({ home, ports, supervisor, password, durable: true, detail }),
    );
    terminal.line();
    for (const [name, url] of Object.entries(urls)) terminal.line(`export ${name}='${url}'`);
    terminal.line('\n  Stop: Ctrl-C\n');
    await interrupted;
  });
}
