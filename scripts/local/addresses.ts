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
const usualPorts: Partial<Record<ServiceName, { variable: string; port: number }>> = {
  gateway: { variable: 'RELAY_PORT', port: 8080 },
  hub: { variable: 'RELAY_HUB_PORT', port: 8090 },
};

/** Those that the user has set, by their services. */
export type PublicPorts = Partial<Record<ServiceName, number>>;

/**
 * Takes the ports that the user has set, before the servers choose theirs and before the build, which may take a minute. Throws
 * when another program has one of them.
 */
export async function takePublicPorts(ports: Ports, env: NodeJS.ProcessEnv): Promise<PublicPorts> {
  const taken: PublicPorts = {};
  for (const name of serviceNames) {
    const { variable = '' } = usualPorts[name] ?? {};
    const text = env[variable];
    if (!text) continue;
    const port = /^\d+$/.test(text) ? Number(text) : 0;
    if (port < 1 || port > 65_535)
      throw new StepError(`${variable} is "${text}". Set it to a port from 1 to 65535.`);
    taken[name] = await ports.take(port, variable);
  }
  return taken;
}

/**
 * A free port for everything. With the ports of a user, the gateway and the hub get these or the usual ones. Tests pass none: of
 * two that start at the same time, both would find the usual port free, and one of them would fail when it listens.
 */
export async function chooseAddresses(ports: Ports, publicPorts?: PublicPorts): Promise<Addresses> {
  const addresses: Partial<Addresses> = {};
  for (const name of serviceNames) {
    const opsPort = await ports.choose(`${name}-ops`);
    addresses[name] = { opsPort, opsUrl: `http://127.0.0.1:${opsPort}` };
    if (name === 'expiry-worker') continue;
    const usual = publicPorts && usualPorts[name]?.port;
    const port = publicPorts?.[name] ?? (await ports.choose(name, usual));
    Object.assign(addresses[name], { port, url: `http://127.0.0.1:${port}` });
  }
  return addresses as Addresses;
}
