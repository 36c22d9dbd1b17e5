import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTcpProxy, type TcpProxy } from '@expert-relay/testkit';
import { type Addresses, chooseAddresses } from '../local/addresses.ts';
import { environmentFor, localValues, type ServerUrls } from '../local/environment.ts';
import { root } from '../local/home.ts';
import { readSecrets } from '../local/secrets.ts';
import { type ServiceEntry, type ServiceName, serviceProgram, services } from '../local/services.ts';
import type { Run } from '../local/with-run.ts';
import type { Release } from './older-commit.ts';

const releases: readonly Release[] = ['older', 'newer'];

export interface Mixture extends AsyncDisposable {
  readonly gatewayUrl: string;
  readonly hubUrl: string;
  /** How many calls each process that serves any has answered, by its name. */
  calls(): Readonly<Record<string, number>>;
}

/**
 * Each service in both releases, on the same servers. Clients reach both gateways and both hubs in turn, connection
 * by connection, and every call between services goes from one release to the other.
 */
export async function openMixture(options: {
  run: Run;
  servers: ServerUrls;
  olderRoot: string;
  /** Services that run in only one release, with that release. */
  alone: Readonly<Partial<Record<ServiceName, Release>>>;
}): Promise<Mixture> {
  const { run, servers, olderRoot, alone } = options;
  const secrets = readSecrets(run.home);
  const addresses: Record<Release, Addresses> = {
    older: await chooseAddresses(run.ports),
    newer: await chooseAddresses(run.ports),
  };
  const proxies: TcpProxy[] = [];
  const logs: { name: string; file: string }[] = [];
  // A page of one build asks the other build for its files: test/browser/builds.test.ts shows what it does then.
  const webApp = { RELAY_WEB_FOLDER: join(olderRoot, 'services/dashboard/web/dist') };
  const both = async (service: 'gateway' | 'hub') => {
    const proxy = await createTcpProxy(releases.map((release) => addresses[release][service].url ?? ''));
    proxies.push(proxy);
    return proxy.url;
  };
  const [gatewayUrl, hubUrl] = [await both('gateway'), await both('hub')];

  /** The addresses that a service of this release calls. */
  function surroundings(release: Release): Addresses {
    const other = release === 'older' ? addresses.newer : addresses.older;
    const called = Object.fromEntries(
      services.map(({ name }) => [name, alone[name] ? addresses[alone[name]][name] : other[name]]),
    ) as Addresses;
    return {
      ...called,
      gateway: { ...called.gateway, url: gatewayUrl },
      hub: { ...called.hub, url: hubUrl },
    };
  }

  async function start(service: ServiceEntry, release: Release): Promise<void> {
    if (alone[service.name] && alone[service.name] !== release) return;
    const { opsUrl } = addresses[release][service.name];
    const values = localValues(servers, secrets, surroundings(release), {});
    const env = { ...environmentFor(service, values, addresses[release], host), ...signIn, ...webApp };
    const program = serviceProgram(service, { home: run.home, env, opsUrl });
    const folder = release === 'older' ? olderRoot : root;
    const name = `${service.name} (${release})`;
    const logFile = run.home.log(`${service.name}-${release}`);
    // The older suite need not call what the older release does not have.
    if (service.name !== 'expiry-worker' && !alone[service.name]) logs.push({ name, file: logFile });
    await run.supervisor.start({
      ...program,
      name,
      args: [...program.args.slice(0, -1), join(folder, 'services', service.name, 'dist/main.js')],
      cwd: folder,
      logFile,
    });
  }

  // The older ones first, so that one of them leads the outbox: it publishes what the newer ones write.
  for (const release of releases) await Promise.all(services.map((service) => start(service, release)));
  return {
    gatewayUrl,
    hubUrl,
    calls: () =>
      Object.fromEntries(
        logs.map(({ name, file }) => [name, readFileSync(file, 'utf8').split('"msg":"call"').length - 1]),
      ),
    async [Symbol.asyncDispose]() {
      await Promise.all(proxies.map((proxy) => proxy.stop()));
    },
  };
}

/** Providers that the conformance suite expects; it never reaches them. */
const signIn = { RELAY_GITHUB_CLIENT_ID: 'x', RELAY_GITHUB_CLIENT_SECRET: 'x' };

const host = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /^(PATH|HOME|USER|TMPDIR)$/.test(name)),
);
