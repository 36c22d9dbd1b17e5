import type { ServiceName } from '../../../scripts/local/services.ts';

/** Services and servers that others reach over a proxy. */
export type Target = 'postgres' | 'nats' | 'redis' | 'requests' | 'messages' | 'notifier';

/** One process of a service. */
export interface Instance {
  readonly name: string;
  readonly service: ServiceName;
}

/** The processes of a small production system. */
export function listInstances(workers: number): readonly Instance[] {
  const several = (service: ServiceName, count: number) =>
    Array.from({ length: count }, (_, index) => ({ name: `${service}-${index + 1}`, service }));
  return [
    ...several('requests', 2),
    ...several('messages', 2),
    ...several('expiry-worker', workers),
    ...several('hub', 2),
    ...several('notifier', 2),
    { name: 'gateway', service: 'gateway' },
    { name: 'dashboard', service: 'dashboard' },
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
  RELAY_NOTIFIER_URL: 'notifier',
};

/** The services and servers that a service calls. No event passes the dashboard, so it stays connected. */
const callees: Partial<Record<ServiceName, readonly Target[]>> = {
  gateway: ['postgres', 'nats', 'requests', 'messages', 'notifier'],
  requests: ['postgres', 'nats'],
  messages: ['postgres', 'nats'],
  hub: ['nats', 'requests'],
  'expiry-worker': ['postgres', 'redis'],
  notifier: ['postgres'],
};

export const targetOf = (variable: string): Target | undefined => targets[variable];
const calleesOf = (service: ServiceName): readonly Target[] => callees[service] ?? [];

/** The name of a proxy. */
export const pair = (from: string, to: string): string => `${from} to ${to}`;

/** What the notifier sends to: the webhooks of the expert and of the agent, and what reaches people. */
export const receiverKinds = {
  'receiver-1': 'webhook',
  'receiver-2': 'webhook',
  'push-service': 'push',
  'mail-server': 'email',
  chat: 'chat',
} as const;
export type ReceiverName = keyof typeof receiverKinds;
export const receiverNames = Object.keys(receiverKinds) as readonly ReceiverName[];

/**
 * Every pair that the network can disconnect: services and servers, two services, clients and gateway or hub, the
 * notifiers and a receiver.
 */
export function allPairs(workers: number): readonly string[] {
  const inner = listInstances(workers).flatMap(({ name, service }) =>
    calleesOf(service).map((target) => pair(name, target)),
  );
  const fromClients = ['gateway', 'hub-1', 'hub-2'].map((name) => pair('clients', name));
  return [...inner, ...fromClients, ...receiverNames.map((name) => pair('notifier', name))];
}
