import { StepError } from '../terminal/failure.ts';
import type { Ports } from './ports.ts';
import { type ServiceName, serviceNames } from './services.ts';

/** Where each service listens: the expiry worker has only its ops port. */
export interface Address {
  port?: number;
  opsPort: number;
  url?: string;
  opsUrl: string;
}

export type Addresses = Record<ServiceName, Address>;

/** The ports that a user may set, and those that `npm start` uses while they are free. */
const publicPorts: Partial<Record<ServiceName, { variable: string; preferred: number }>> = {
  gateway: { variable: 'RELAY_PORT', preferred: 8080 },
  hub: { variable: 'RELAY_HUB_PORT', preferred: 8090 },
};

/**
 * A free port for everything. With the environment of a user, the gateway and the hub get the ports that it sets (it throws when
 * another program has one of these) or the usual ones. Tests pass none: of two that start at the same time, both would find the
 * usual port free, and one of them would fail when it listens.
 */
export async function chooseAddresses(ports: Ports, env?: NodeJS.ProcessEnv): Promise<Addresses> {
  const addresses: Partial<Addresses> = {};
  for (const name of serviceNames) {
    const opsPort = await ports.choose(`${name}-ops`);
    addresses[name] = { opsPort, opsUrl: `http://127.0.0.1:${opsPort}` };
    if (name === 'expiry-worker') continue;
    const port = env ? await choosePublicPort(name, ports, env) : await ports.choose(name);
    Object.assign(addresses[name], { port, url: `http://127.0.0.1:${port}` });
  }
  return addresses as Addresses;
}

/** Takes those that the user has set, before the servers choose theirs and before the build, which may take a minute. */
export async function takePublicPorts(ports: Ports, env: NodeJS.ProcessEnv): Promise<void> {
  for (const { variable } of Object.values(publicPorts)) await takePort(variable, ports, env);
}

async function choosePublicPort(name: ServiceName, ports: Ports, env: NodeJS.ProcessEnv): Promise<number> {
  const { variable = '', preferred } = publicPorts[name] ?? {};
  return (await takePort(variable, ports, env)) ?? ports.choose(name, preferred);
}

async function takePort(variable: string, ports: Ports, env: NodeJS.ProcessEnv): Promise<number | undefined> {
  const text = env[variable];
  if (!text) return undefined;
  const port = /^\d+$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return ports.take(port, variable);
  throw new StepError(`${variable} is "${text}". Set it to a port from 1 to 65535.`);
}
