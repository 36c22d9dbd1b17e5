import { openServers } from '../servers/open-servers.ts';
import { buildAll } from '../steps/build-all.ts';
import { generateAll } from '../steps/generate-all.ts';
import { migrate } from '../steps/migrate.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { chooseAddresses } from './addresses.ts';
import { describeRun, writeDevJson } from './dev-json.ts';
import { ensureDevUser } from './dev-user.ts';
import { environmentFor, localValues } from './environment.ts';
import { readSecrets } from './secrets.ts';
import { services } from './service-list.ts';
import { serviceProgram } from './service-program.ts';
import { showScreen } from './show-screen.ts';
import type { Run } from './with-run.ts';

/** Everything from sources to a screen that says it is ready. */
export async function bringUp(
  { home, ports, supervisor, watchProcesses }: Run,
  terminal: Terminal,
): Promise<void> {
  const secrets = readSecrets(home);
  await terminal.step('generate', generateAll);
  await terminal.step('build', buildAll);
  const servers = await terminal.step('servers', (detail) =>
    openServers({ home, ports, supervisor, password: secrets.postgresPassword, durable: true, detail }),
  );

  const addresses = await chooseAddresses(ports);
  const values = localValues(servers, secrets, addresses);
  const databaseEnv = { ...process.env, ...servers, DATABASE_DIRECT_URL: values.DATABASE_DIRECT_URL };
  await terminal.step('migrate', () => migrate(databaseEnv));
  const user = await terminal.step('user', () => ensureDevUser(home, secrets, databaseEnv));
  await terminal.step('services', async (detail) => {
    detail(services.map(({ name }) => name).join(', '));
    await Promise.all(
      services.map((service) => {
        const env = environmentFor(service, values, addresses);
        return supervisor.start(
          serviceProgram(service, { home, env, opsUrl: addresses[service.name].opsUrl }),
        );
      }),
    );
  });

  const run = describeRun(addresses, servers, user);
  watchProcesses((running) => writeDevJson(home, run, running));
  showScreen(terminal, run, home);
}
