import { setTimeout as pause } from 'node:timers/promises';
import { chooseAddresses } from '../../../scripts/local/addresses.ts';
import { createUser } from '../../../scripts/local/dev-user.ts';
import { environmentFor, localValues } from '../../../scripts/local/environment.ts';
import { type DevUser, readSecrets } from '../../../scripts/local/secrets.ts';
import { type ServiceName, serviceNames, serviceProgram } from '../../../scripts/local/services.ts';
import type { Run } from '../../../scripts/local/with-run.ts';
import { openServers } from '../../../scripts/servers/open-servers.ts';
import { migrate } from '../../../scripts/steps/build.ts';
import { type Database, openDatabase } from '../environment/database.ts';

/** The built product, with one process of each service and without proxies. */
export interface ChaosEnvironment {
  /** The user of the honest clients. */
  readonly user: DevUser;
  /** The user of the attackers. */
  readonly attacker: DevUser;
  readonly gatewayUrl: string;
  readonly hubUrl: string;
  readonly database: Database;
  close(): Promise<void>;
}

export interface ChaosEnvironmentSettings {
  /** The Node that the services run on. */
  readonly node: string;
  /** Whether the rate limits are those of production. Without them more calls reach the services. */
  readonly limits: boolean;
}

const collectGarbage = new URL('collect-garbage.mjs', import.meta.url);
/** Short, so that conversations expire during the run. */
const conversationTtl = '8s';

export async function openChaosEnvironment(
  run: Run,
  settings: ChaosEnvironmentSettings,
): Promise<ChaosEnvironment> {
  const { home, ports, supervisor } = run;
  const secrets = readSecrets(home);
  const servers = await openServers(run, { durable: true, env: {} });
  const addresses = await chooseAddresses(ports);
  const host = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => /^(PATH|HOME|USER|TMPDIR)$/.test(name)),
  );
  const values = localValues(servers, secrets, addresses, {});
  const env = { ...process.env, ...servers, DATABASE_DIRECT_URL: servers.DATABASE_URL };
  const starting = Promise.all(serviceNames.map((entry) => supervisor.start(program(entry))));
  // The first failure is reported; services that wait for their database fail later.
  starting.catch(() => {});

  function program(entry: ServiceName) {
    const program = serviceProgram(entry, {
      home,
      env: {
        ...environmentFor(entry, values, addresses, host),
        ...overridesOf(entry, settings),
      },
      opsUrl: addresses[entry].opsUrl,
    });
    const collecting = new URL(collectGarbage);
    collecting.searchParams.set('output', home.file('free-heap'));
    return { ...program, command: settings.node, args: ['--import', collecting.href, ...program.args] };
  }

  await migrate(env);
  const user = await createUser(env, 'dev');
  const attacker = await createUser(env, 'mallory');
  await starting;
  const database = openDatabase(servers.DATABASE_URL);
  return {
    user,
    attacker,
    gatewayUrl: addresses.gateway.url ?? '',
    hubUrl: addresses.hub.url ?? '',
    database,
    async close() {
      // The services release the pages and streams that were just closed.
      await pause(50);
      await database.close();
    },
  };
}

function overridesOf(name: ServiceName, { limits }: ChaosEnvironmentSettings): NodeJS.ProcessEnv {
  return {
    // Only the dashboard is in development mode, since its sign-in without a provider exists only there.
    NODE_ENV: name === 'dashboard' ? 'development' : 'production',
    RELAY_CONVERSATION_TTL: conversationTtl,
    // The limits of production, unlike `npm start`.
    ...(limits && { RELAY_RATE_LIMIT_PAGES: '60', RELAY_RATE_LIMIT_API: '30', RELAY_RATE_LIMIT_POLL: '20' }),
    // Honest clients have one address, and send others in x-forwarded-for.
    RELAY_TRUSTED_PROXIES: '127.0.0.1/32',
    // The stream limits of production, unlike `npm start`.
    RELAY_HUB_MAX_STREAMS_PER_ADDRESS: '200',
    RELAY_HUB_MAX_STREAMS_ANONYMOUS: '5000',
    RELAY_HUB_HEARTBEAT: '1s',
    RELAY_HUB_RETRY: '300ms',
    // Small, so that it is full before the first measurement of memory.
    RELAY_HUB_RING_EVENTS: '2000',
  };
}
