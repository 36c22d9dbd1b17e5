import { unknownSettings } from '../../packages/kit/src/config/unknown-settings.ts';
import { checkNamedServers } from '../servers/check-named-servers.ts';
import { openServers } from '../servers/open-servers.ts';
import { buildAll } from '../steps/build-all.ts';
import { generateAll } from '../steps/generate-all.ts';
import { migrate } from '../steps/migrate.ts';
import { inBackground } from '../terminal/in-background.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { chooseAddresses, takeDemandedPorts } from './addresses.ts';
import { describeRun, writeDevJson } from './dev-json.ts';
import { ensureDevUser } from './dev-user.ts';
import { environmentFor, localValues, settingsWithoutEffect } from './environment.ts';
import { readSecrets } from './secrets.ts';
import { services } from './service-list.ts';
import { serviceProgram } from './service-program.ts';
import { showScreen } from './show-screen.ts';
import type { Run } from './with-run.ts';

/**
 * Everything from sources to a screen that says it is ready. Servers start while the code is built,
 * and services while the database is migrated (they wait for that by themselves): each step's time
 * is what it added.
 */
export async function bringUp(run: Run, terminal: Terminal): Promise<void> {
  const { home, ports, supervisor, watchProcesses } = run;
  for (const warning of [...unknownSettings(process.env), ...settingsWithoutEffect(process.env)]) {
    terminal.line(`  ! ${warning}`);
  }
  const demanded = await takeDemandedPorts(ports, process.env);
  const secrets = readSecrets(home);
  await checkNamedServers();
  const opening = inBackground((detail) =>
    openServers({ home, ports, supervisor, password: secrets.postgresPassword, durable: true, detail }),
  );
  await terminal.step('generate', generateAll);
  await terminal.step('build', buildAll);
  const servers = await terminal.step('servers', opening);

  const addresses = await chooseAddresses(ports, demanded);
  const values = localValues(servers, secrets, addresses);
  const starting = inBackground(async (detail) => {
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
  const databaseEnv = { ...process.env, ...servers, DATABASE_DIRECT_URL: values.DATABASE_DIRECT_URL };
  await terminal.step('migrate', () => migrate(databaseEnv));
  const user = await terminal.step('user', () => ensureDevUser(home, secrets, databaseEnv));
  await terminal.step('services', starting);

  const description = describeRun(addresses, servers, user);
  watchProcesses((running) => writeDevJson(home, description, running));
  showScreen(terminal, description, { home, demanded });
}
