import { chooseAddresses } from '../../scripts/local/addresses.ts';
import { createUser } from '../../scripts/local/dev-user.ts';
import { localValues } from '../../scripts/local/environment.ts';
import { readSecrets } from '../../scripts/local/secrets.ts';
import type { Run } from '../../scripts/local/with-run.ts';
import type { ServerUrls } from '../../scripts/servers/open-servers.ts';
import { migrate } from '../../scripts/steps/generate.ts';
import type { Controlled } from './controlled.ts';
import { openDatabase } from './open-database.ts';
import type { Stage } from './stage.ts';
import { startNchan } from './start-nchan.ts';
import { programStarter } from './start-program.ts';
import { serviceStarter } from './start-service.ts';

export async function openStage(run: Run, servers: ServerUrls): Promise<Stage> {
  const secrets = readSecrets(run.home);
  const addresses = await chooseAddresses(run.ports);
  const env = { ...process.env, ...servers };
  await migrate(env);
  const user = await createUser(env, 'dev');

  const startService = serviceStarter(run, localValues(servers, secrets, addresses), addresses);
  const startProgram = programStarter(run, servers.DATABASE_URL);
  const running = new Map<string, Promise<Controlled>>();
  const once = (name: string, start: () => Promise<Controlled>) => {
    const known = running.get(name) ?? start();
    running.set(name, known);
    return known;
  };

  const { GATEWAY_REQUESTS: requests, GATEWAY_MESSAGES: messages } = secrets.principalKeys;
  return {
    user,
    gatewayKeys: { requests, messages },
    database: await openDatabase(servers.DATABASE_URL),
    load: await startProgram('load'),
    service: (name, settings) => once(settings?.as ?? name, () => startService(name, settings)),
    program: (name, env, as = name) => once(as, () => startProgram(name, env, as)),
    natsUrl: servers.NATS_URL,
    nchan: () => once('nchan', () => startNchan(run)),
  };
}
