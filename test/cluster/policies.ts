import { execOutside } from './load/start-load.ts';
import { kubectl, namespace } from './shell.ts';

/** The connections in docs/architecture.md, and those from outside. All others must be refused. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  gateway: ['requests', 'messages', 'dashboard', 'notifier', 'postgres', 'nats'],
  requests: ['postgres', 'nats'],
  messages: ['postgres', 'nats'],
  hub: ['requests', 'nats'],
  'expiry-worker': ['postgres', 'redis'],
  dashboard: ['requests', 'messages', 'notifier', 'redis'],
  notifier: ['postgres'],
  outside: ['gateway', 'hub'],
};
const ports = {
  gateway: 8080,
  requests: 8081,
  messages: 8082,
  hub: 8083,
  dashboard: 8084,
  notifier: 8085,
  postgres: 5432,
  redis: 6379,
  nats: 4222,
};

const program = `
const { connect } = require('node:net');
for (const [name, host, port] of JSON.parse(process.argv[1])) {
  const socket = connect({ host, port: Number(port) });
  socket.on('connect', () => { console.log(name); socket.destroy(); });
  socket.on('error', () => {});
  setTimeout(() => socket.destroy(), 3000);
}`;

interface Attempts {
  readonly allowed: number;
  readonly refused: number;
  /** Connections that were wrongly refused or wrongly accepted. */
  readonly failures: readonly string[];
}

/** Tries to connect from a pod of each service, and from a pod outside, to every port. */
export async function tryPolicies(): Promise<Attempts> {
  const addresses = await kubectl(
    'get',
    'pods',
    '--output=jsonpath={range .items[*]}{.metadata.labels.app\\.kubernetes\\.io/component} {.status.podIP}{"\\n"}{end}',
  );
  const ipOf = new Map(
    addresses
      .trim()
      .split('\n')
      .map((line) => line.split(' ') as [string, string]),
  );
  const services = Object.keys(allowed).filter((name) => name !== 'outside');
  const targets = [
    ...Object.entries(ports).map(([name, port]) => [name, `expert-relay-${name}.${namespace}.svc`, port]),
    ...services.map((name) => [`${name}'s metrics`, ipOf.get(name), 9090]),
    ['the API server', 'kubernetes.default.svc', 443],
  ];
  const failures: string[] = [];
  let [open, closed] = [0, 0];
  for (const [from, mayReach] of Object.entries(allowed)) {
    // A pod can always connect to itself.
    const others = targets.filter(
      ([name]) => !String(name).startsWith(from) && !(from === 'outside' && name === 'the API server'),
    );
    const command = ['node', '-e', program, JSON.stringify(others)];
    const output = await (from === 'outside'
      ? execOutside(...command)
      : kubectl('exec', `deployment/expert-relay-${from}`, '--', ...command));
    const reached = output.split('\n');
    for (const [name] of others as [string][]) {
      const [may, did] = [mayReach.includes(name), reached.includes(name)];
      if (did) open++;
      else closed++;
      if (may !== did) failures.push(`${from} ${did ? 'reached' : 'did not reach'} ${name}`);
    }
  }
  return { allowed: open, refused: closed, failures };
}
