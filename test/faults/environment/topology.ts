import type { ServiceName } from '../../../scripts/local/services.ts';

/** Services and servers that others reach over a proxy. */
export type Target = 'postgres' | 'nats' | 'redis' | 'requests' | 'messages';

/** One process of a service. */
export interface Instance {
  readonly name: string;
  readonly service: ServiceName;
}

/** The processes of a small production system. The dashboard is left out, since no event passes it. */
export function listInstances(workers: number): readonly Instance[] {
  const several = (service: ServiceName, count: number) =>
    Array.from({ length: count }, (_, index) => ({ name: `${service}-${index + 1}`, service }));
  return [
    ...several('requests', 2),
    ...several('messages', 2),
    ...several('expiry-worker', workers),
    ...several('hub', 2),
    { name: 'gateway', service: 'gateway' },
  ];
}

/** The service or server that the address in an environment variable belongs to. */
const targets: Readonly<Record<string, Target>> = {
  DATABASE_URL: 'postgres',
  DATABASE_DIRECT_URL: 'postgres',
  NATS_URL: 'nats',
  REDIS_URL: 'redis',
  RELAY_REQUESTS_URL: 'requests',
  RELAY_MESSAGES_URL: 'messages',
};

/** The services and servers that a service calls. */
const callees: Partial<Record<ServiceName, readonly Target[]>> = {
  gateway: ['postgres', 'nats', 'requests', 'messages'],
  requests: ['postgres', 'nats'],
  messages: ['postgres', 'nats'],
  hub: ['nats', 'requests'],
  'expiry-worker': ['postgres', 'redis'],
};

export const targetOf = (variable: string): Target | undefined => targets[variable];
const calleesOf = (service: ServiceName): readonly Target[] => callees[service] ?? [];

/** The name of a proxy. */
export const pair = (from: string, to: string): string => `${from} to ${to}`;

/** Every pair that the network can disconnect: services and servers, two services, clients and gateway or hub. */
export function allPairs(workers: number): readonly string[] {
  const inner = listInstances(workers).flatMap(({ name, service }) =>
    calleesOf(service).map((target) => pair(name, target)),
  );
  return [...inner, ...['gateway', 'hub-1', 'hub-2'].map((name) => pair('clients', name))];
}
