import type { ServiceName } from '../../../scripts/local/services.ts';

/** Who can be reached over a cable. */
export type Target = 'postgres' | 'nats' | 'redis' | 'requests' | 'messages';

/** One process of the product: the first or second of its service. */
export interface Member {
  readonly name: string;
  readonly service: ServiceName;
}

/** What a production of this size would run. The dashboard is no part of any event's way. */
export function lineUp(workers: number): readonly Member[] {
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

/** Whom a service calls, by the variables that say where. */
const called: Readonly<Record<string, Target>> = {
  DATABASE_URL: 'postgres',
  DATABASE_DIRECT_URL: 'postgres',
  NATS_URL: 'nats',
  REDIS_URL: 'redis',
  RELAY_REQUESTS_URL: 'requests',
  RELAY_MESSAGES_URL: 'messages',
};

const callees: Partial<Record<ServiceName, readonly Target[]>> = {
  gateway: ['postgres', 'nats', 'requests', 'messages'],
  requests: ['postgres', 'nats'],
  messages: ['postgres', 'nats'],
  hub: ['nats', 'requests'],
  'expiry-worker': ['postgres', 'redis'],
};

export const targetOf = (variable: string): Target | undefined => called[variable];
const calleesOf = (service: ServiceName): readonly Target[] => callees[service] ?? [];

/** The name of the cable from one to the other. */
export const pair = (from: string, to: string): string => `${from} to ${to}`;

/** Every pair that a network may part: services and servers, services, clients and the edge. */
export function allPairs(workers: number): readonly string[] {
  const inner = lineUp(workers).flatMap(({ name, service }) =>
    calleesOf(service).map((target) => pair(name, target)),
  );
  return [...inner, ...['gateway', 'hub-1', 'hub-2'].map((name) => pair('clients', name))];
}
