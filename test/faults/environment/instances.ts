import { fileURLToPath } from 'node:url';
import { type Address, type Addresses, chooseAddresses } from '../../../scripts/local/addresses.ts';
import type { ServerUrls } from '../../../scripts/local/environment.ts';
import { environmentFor, localValues, settingNames } from '../../../scripts/local/environment.ts';
import type { Secrets } from '../../../scripts/local/secrets.ts';
import { type ServiceName, serviceProgram } from '../../../scripts/local/services.ts';
import type { Run } from '../../../scripts/local/with-run.ts';
import type { Program } from '../../../scripts/processes/program.ts';
import type { Network } from './network.ts';
import { type Instance, pair, targetOf } from './topology.ts';

export interface EnvironmentSettings {
  /** The number of expiry workers. */
  readonly workers: number;
  /** The lifetime of conversations, as `8s`. */
  readonly ttl: string;
  /** The same setting for the workers, which decides only how often they sweep and how far ahead they plan jobs. */
  readonly workerTtl: string;
  /** The errors of the workers' clocks, in milliseconds by name. */
  readonly clocks: Readonly<Record<string, number>>;
}

interface ConfiguredInstances {
  urlOf(name: string): string;
  /** The built service with production settings, and with its own proxy to each service and server that it calls. */
  program(instance: Instance): Promise<Program>;
}

const shiftClock = fileURLToPath(new URL('shift-clock.mjs', import.meta.url));

export async function configureInstances(options: {
  run: Run;
  network: Network;
  servers: ServerUrls;
  secrets: Secrets;
  settings: EnvironmentSettings;
  instances: readonly Instance[];
  mailUrl: string;
}): Promise<ConfiguredInstances> {
  const { run, network, servers, secrets, settings, instances, mailUrl } = options;
  const shared = await chooseAddresses(run.ports);
  const own = new Map<string, Address>();
  for (const instance of instances) own.set(instance.name, await addressOf(instance));
  const host = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => /^(PATH|HOME|USER|TMPDIR)$/.test(name)),
  );

  async function addressOf({ name, service }: Instance): Promise<Address> {
    if (!name.endsWith('-2') && !name.endsWith('-3')) return shared[service];
    const [port, opsPort] = [await run.ports.choose(name), await run.ports.choose(`${name}-ops`)];
    return { port, opsPort, url: `http://127.0.0.1:${port}`, opsUrl: `http://127.0.0.1:${opsPort}` };
  }

  function urlsOf(target: string): string | readonly string[] {
    const server = { postgres: servers.DATABASE_URL, nats: servers.NATS_URL, redis: servers.REDIS_URL }[
      target
    ];
    const serving = instances.filter(({ service }) => service === target);
    return server ?? serving.map(({ name }) => own.get(name)?.url ?? '');
  }

  /** The addresses that an instance gets: each is that of a proxy. */
  async function connectProxies(name: string, service: ServiceName): Promise<Record<string, string>> {
    const urls: Record<string, string> = {};
    const known = new Map<string, string>();
    for (const variable of settingNames(service)) {
      const target = targetOf(variable);
      if (!target) continue;
      const url = known.get(target) ?? (await network.addProxy(pair(name, target), urlsOf(target)));
      known.set(target, url);
      urls[variable] = url;
    }
    return urls;
  }

  return {
    urlOf: (name) => own.get(name)?.url ?? '',
    async program({ name, service }) {
      const address = own.get(name) as Address;
      const addresses: Addresses = { ...shared, [service]: address };
      const values = {
        ...localValues(servers, secrets, addresses, {}),
        ...(await connectProxies(name, service)),
      };
      const shift = settings.clocks[name];
      const env = {
        ...environmentFor(service, values, addresses, host),
        ...production,
        RELAY_SMTP_URL: mailUrl,
        // Its sign-in without a provider exists only there.
        ...(service === 'dashboard' && { NODE_ENV: 'development', RELAY_DEV_LOGIN: 'true' }),
        RELAY_CONVERSATION_TTL: service === 'expiry-worker' ? settings.workerTtl : settings.ttl,
        ...(shift === undefined ? {} : { FAULT_CLOCK_SHIFT: String(shift) }),
      };
      const program = serviceProgram(service, { home: run.home, env, opsUrl: address.opsUrl });
      const args = [...(shift === undefined ? [] : ['--import', shiftClock]), ...program.args];
      return { ...program, name, args, logFile: run.home.log(name) };
    },
  };
}

/** No rate limits, since all clients have one address, and short intervals, so that the end of a fault shows soon. */
const production = {
  NODE_ENV: 'production',
  RELAY_DEV_LOGIN: 'false',
  // A busy machine may stall for longer than the default.
  RELAY_START_PATIENCE: '60s',
  RELAY_RATE_LIMIT_PAGES: '0',
  RELAY_RATE_LIMIT_API: '0',
  RELAY_RATE_LIMIT_POLL: '0',
  RELAY_HUB_MAX_STREAMS_PER_CREDENTIAL: '0',
  RELAY_HUB_MAX_STREAMS_PER_USER: '0',
  RELAY_HUB_HEARTBEAT: '1s',
  RELAY_HUB_RETRY: '300ms',
  RELAY_PUSH_HOSTS: '127.0.0.1',
  RELAY_EMAIL_FROM: 'relay@example.com',
};
