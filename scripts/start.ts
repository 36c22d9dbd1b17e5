import { unknownSettings } from '../packages/kit/src/config/unknown-settings.ts';
import { collectGarbage } from '../packages/testkit/src/collect-garbage.ts';
import { chooseAddresses, takePublicPorts } from './local/addresses.ts';
import { describeRun, showScreen, writeDevJson } from './local/dev-json.ts';
import { ensureDevUser } from './local/dev-user.ts';
import { environmentFor, localValues } from './local/environment.ts';
import { readSecrets } from './local/secrets.ts';
import { serviceNames, serviceProgram } from './local/services.ts';
import { type Run, withRun } from './local/with-run.ts';
import { checkNamedServers } from './servers/named-servers.ts';
import { openServers } from './servers/open-servers.ts';
import { buildProduct, migrate } from './steps/build.ts';
import { inBackground } from './terminal/terminal.ts';

/** `npm start`: the whole product, until Ctrl-C. */
export async function start(): Promise<void> {
  await withRun({}, async (run) => {
    await startProduct(run, { isLean: true });
    await run.interrupted;
  });
}

/**
 * Everything from the sources to the screen with the addresses. Servers start while the code is built, and services
 * while the database is migrated (they wait for that), so the time of a step is what it has added.
 */
export async function startProduct(run: Run, { isLean }: { isLean: boolean }): Promise<void> {
  const { home, terminal, supervisor } = run;
  for (const warning of unknownSettings(process.env)) terminal.line(`  ! ${warning}`);
  const secrets = readSecrets(home);
  // Before the build, which may take a minute.
  const publicPorts = await takePublicPorts(run.ports, process.env);
  await checkNamedServers();
  const opening = inBackground((detail) => openServers(run, { durable: true, isLean, detail }));
  await buildProduct(terminal, isLean ? 'start' : 'all');
  const servers = await terminal.step('servers', opening);
  // As late as possible: another run could take a port that is free now.
  const addresses = await chooseAddresses(run.ports, publicPorts);

  const values = localValues(servers, secrets, addresses);
  const starting = inBackground(async (detail) => {
    detail(serviceNames.join(', '));
    await Promise.all(
      serviceNames.map((service) => {
        const env = environmentFor(service, values, addresses);
        const { opsUrl } = addresses[service];
        return supervisor.start(serviceProgram(service, { home, env, opsUrl, isBundled: isLean }));
      }),
    );
  });
  const databaseEnv = { ...process.env, ...servers, DATABASE_DIRECT_URL: values.DATABASE_DIRECT_URL };
  await terminal.step('migrate', () => migrate(databaseEnv));
  await terminal.step('services', starting);
  const { url: gatewayUrl = '' } = addresses.gateway;
  const user = await terminal.step('user', () => ensureDevUser(home, secrets, databaseEnv, gatewayUrl));

  const description = describeRun(addresses, servers, user);
  supervisor.watch((running) => writeDevJson(home, description, running));
  showScreen(terminal, description, home);
  // The start leaves ten megabytes of garbage, which a process that only waits would keep.
  collectGarbage();
}
