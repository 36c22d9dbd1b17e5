import { StepError } from '../terminal/failure.ts';
import type { Ports } from './ports.ts';
import { type ServiceName, services } from './services.ts';

/** Where each service listens: the expiry worker has its ops port alone. */
export interface Address {
  port?: number;
  opsPort: number;
  url?: string;
  opsUrl: string;
}

export type Addresses = Record<ServiceName, Address>;

/** The ports that are used while they are free. */
export const preferred: Partial<Record<ServiceName, number>> = { gateway: 8080, hub: 8090 };

export type DemandedPorts = Partial<Record<ServiceName, number>>;

/** The ports that the user has set. The start fails when another program has one. */
export async function takeDemandedPorts(ports: Ports, env: NodeJS.ProcessEnv): Promise<DemandedPorts> {
  const demanded: DemandedPorts = {};
  for (const [name, variable] of [
    ['gateway', 'RELAY_PORT'],
    ['hub', 'RELAY_HUB_PORT'],
  ] as const) {
    const text = env[variable];
    if (!text) continue;
    const port = /^\d+$/.test(text) ? Number(text) : 0;
    if (port < 1 || port > 65_535)
      throw new StepError(`${variable} is "${text}". Set it to a port from 1 to 65535.`);
    demanded[name] = await ports.take(port, variable);
  }
  return demanded;
}

export async function chooseAddresses(ports: Ports, demanded: DemandedPorts = {}): Promise<Addresses> {
  const addresses: Partial<Addresses> = {};
  for (const { name } of services) {
    const opsPort = await ports.choose(`${name}-ops`);
    const ops = { opsPort, opsUrl: loopback(opsPort) };
    if (name === 'expiry-worker') {
      addresses[name] = ops;
      continue;
    }
    const port = demanded[name] ?? (await ports.choose(name, preferred[name]));
    addresses[name] = { ...ops, port, url: loopback(port) };
  }
  return addresses as Addresses;
}

function loopback(port: number): string {
  return `http://127.0.0.1:${port}`;
}
