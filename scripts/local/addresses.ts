import type { Ports } from './ports.ts';
import { type ServiceName, services } from './service-list.ts';

/** Where each service listens: the expiry worker has its ops port alone. */
export interface Address {
  port?: number;
  opsPort: number;
  url?: string;
  opsUrl: string;
}

export type Addresses = Record<ServiceName, Address>;

/** What they get when nobody else has it. */
export const preferred: Partial<Record<ServiceName, number>> = { gateway: 8080, hub: 8090 };

export async function chooseAddresses(ports: Ports): Promise<Addresses> {
  const addresses: Partial<Addresses> = {};
  for (const { name } of services) {
    const opsPort = await ports.choose(`${name}-ops`);
    const ops = { opsPort, opsUrl: loopback(opsPort) };
    if (name === 'expiry-worker') {
      addresses[name] = ops;
      continue;
    }
    const port = await ports.choose(name, preferred[name]);
    addresses[name] = { ...ops, port, url: loopback(port) };
  }
  return addresses as Addresses;
}

function loopback(port: number): string {
  return `http://127.0.0.1:${port}`;
}
