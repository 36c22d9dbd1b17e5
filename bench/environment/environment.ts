import { chooseAddresses } from '../../scripts/local/addresses.ts';
import { createUser } from '../../scripts/local/dev-user.ts';
import type { ServerUrls } from '../../scripts/local/environment.ts';
import { localValues } from '../../scripts/local/environment.ts';
import { type DevUser, readSecrets } from '../../scripts/local/secrets.ts';
import type { ServiceName } from '../../scripts/local/services.ts';
import type { Run } from '../../scripts/local/with-run.ts';
import { migrate } from '../../scripts/steps/build.ts';
import { type Database, openDatabase } from './database.ts';
import { startNchan } from './nchan.ts';
import { type BenchProcess, programStarter, type ServiceOptions, serviceStarter } from './processes.ts';

/** What a row uses to measure: servers, a user, and processes that report their resource usage. */
export interface Environment {
  readonly user: DevUser;
  readonly database: Database;
  /** The process that makes the load. */
  readonly load: BenchProcess;
  /** The keys with which the gateway signs its calls of other services. */
  readonly gatewayKeys: Readonly<Record<'requests' | 'messages', string>>;
  /** Starts a service as in production. Returns the running process if it was started before. */
  service(name: ServiceName, options?: ServiceOptions): Promise<BenchProcess>;
  /** Starts a program of `bench/programs`; `as` is another name, for a second process of the same program. */
  program(name: string, env?: NodeJS.ProcessEnv, as?: string): Promise<BenchProcess>;
  readonly natsUrl: string;
  /** nginx + nchan, a baseline for the hub; fails with the reason if it is not available. */
  nchan(): Promise<BenchProcess>;
}

export async function openEnvironment(run: Run, servers: ServerUrls): Promise<Environment> {
  const secrets = readSecrets(run.home);
  const addresses = await chooseAddresses(run.ports);
  const env = { ...process.env, ...servers };
  await migrate(env);
  const user = await createUser(env, 'dev');

  const startService = serviceStarter(run, localValues(servers, secrets, addresses), addresses);
  const startProgram = programStarter(run, servers.DATABASE_URL);
  const running = new Map<string, Promise<BenchProcess>>();
  const once = (name: string, start: () => Promise<BenchProcess>) => {
    const known = running.get(name) ?? start();
    running.set(name, known);
    return known;
  };

  const gatewayKey = (service: string) => secrets.settings[`RELAY_PRINCIPAL_KEY_GATEWAY_${service}`] ?? '';
  return {
    user,
    gatewayKeys: { requests: gatewayKey('REQUESTS'), messages: gatewayKey('MESSAGES') },
    database: await openDatabase(servers.DATABASE_URL),
    load: await startProgram('load'),
    service: (name, options) => once(options?.as ?? name, () => startService(name, options)),
    program: (name, env, as = name) => once(as, () => startProgram(name, env, as)),
    natsUrl: servers.NATS_URL,
    nchan: () => once('nchan', () => startNchan(run)),
  };
}
