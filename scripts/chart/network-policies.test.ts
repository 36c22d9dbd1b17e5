import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { root } from '../local/home.ts';
import { find, type Manifest, manifestsOf, withHelm } from './testing/helm.ts';

interface Rule {
  ports: { port: number | string }[];
  from?: Peer[];
  to?: Peer[];
}
type Peer = { podSelector?: { matchLabels: Record<string, string> } };

const component = (peer: Peer) => peer.podSelector?.matchLabels['app.kubernetes.io/component'] ?? 'outside';
const policiesOf = (all: readonly Manifest[]) => all.filter(({ kind }) => kind === 'NetworkPolicy');
const nameOf = ({ metadata }: Manifest) => metadata.name.replace('expert-relay-', '');
const ports: Record<string, number> = {
  requests: 8081,
  messages: 8082,
  dashboard: 8084,
  gateway: 8080,
  hub: 8083,
  postgres: 5432,
  redis: 6379,
  nats: 4222,
};

/** The column "Talks to" of docs/architecture.md. */
function arrowsOfArchitecture(): string[] {
  const [, text = ''] = readFileSync(join(root, 'docs/architecture.md'), 'utf8').split('| Talks to |');
  const [table = ''] = text.split('\n\n');
  const rows = [...table.matchAll(/^\| `([a-z-]+)` \| .* \| ([^|]+) \|$/gm)];
  return rows.flatMap(([, service, talksTo = '']) => {
    const named = talksTo
      .replace(/\([^)]*\)/g, '')
      .toLowerCase()
      .split(',');
    return named.map((other) => `${service} -> ${other.trim()}`);
  });
}

withHelm('services may connect to what docs/architecture.md names, and to nothing else', async () => {
  const policies = policiesOf(await manifestsOf('minimal'));
  const services = Object.keys(ports).filter((name) => ports[name] && ports[name] > 8000);
  const arrows = policies
    .filter((policy) => [...services, 'expiry-worker'].includes(nameOf(policy)))
    .flatMap((policy) =>
      (policy.spec.egress ?? []).flatMap(({ to = [], ports: [port] }: Rule) =>
        to.map((peer) => {
          expect(port?.port).toBe(ports[component(peer)]);
          return `${nameOf(policy)} -> ${component(peer)}`;
        }),
      ),
    );
  expect(arrows.sort()).toEqual(arrowsOfArchitecture().sort());
  expect(arrows.length).toBeGreaterThan(10);
});

withHelm('each arrow is allowed at both of its ends', async () => {
  const policies = policiesOf(await manifestsOf('minimal'));
  const out = policies.flatMap((policy) =>
    (policy.spec.egress ?? []).flatMap(({ to = [] }: Rule) =>
      to.filter((peer) => component(peer) in ports).map((peer) => `${nameOf(policy)} -> ${component(peer)}`),
    ),
  );
  // The gateway and the hub are open to all: who calls them is not listed.
  const open = (arrow: string) => / -> (gateway|hub)$/.test(arrow);
  const into = policies.flatMap((policy) =>
    (policy.spec.ingress ?? []).flatMap(({ from = [] }: Rule) =>
      from.map((peer) => `${component(peer)} -> ${nameOf(policy)}`),
    ),
  );
  expect(into.sort()).toEqual(out.filter((arrow) => !open(arrow)).sort());
});

withHelm('all else is denied, but for looking up names', async () => {
  const policy = find(await manifestsOf('minimal'), 'NetworkPolicy', 'default');
  expect(policy.spec).toEqual({
    podSelector: {
      matchLabels: { 'app.kubernetes.io/name': 'expert-relay', 'app.kubernetes.io/instance': 'expert-relay' },
    },
    policyTypes: ['Ingress', 'Egress'],
    egress: [
      {
        ports: [
          { port: 53, protocol: 'UDP' },
          { port: 53, protocol: 'TCP' },
        ],
        to: [{ namespaceSelector: {}, podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } } }],
      },
    ],
  });
});

withHelm('only the dashboard reaches addresses outside: the identity providers', async () => {
  const open = policiesOf(await manifestsOf('minimal')).flatMap((policy) =>
    (policy.spec.egress ?? [])
      .filter((rule: Rule) => rule.to === undefined)
      .map((rule: Rule) => [nameOf(policy), rule.ports]),
  );
  expect(open).toEqual([['dashboard', [{ port: 443 }]]]);
});

withHelm('the migration reaches only Postgres, the test also the gateway and the hub', async () => {
  const all = await manifestsOf('minimal');
  const targets = (name: string) =>
    find(all, 'NetworkPolicy', name).spec.egress.flatMap(({ to = [] }: Rule) => to.map(component));
  expect(targets('migrate')).toEqual(['postgres']);
  expect(targets('test').sort()).toEqual(['gateway', 'hub', 'postgres']);
});

withHelm('metrics are for those who are named, and the public ports too', async () => {
  const { ingress } = find(await manifestsOf('high-availability'), 'NetworkPolicy', 'hub').spec;
  const namespace = (name: string) => ({
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
  });
  expect(component(ingress[0].from[0])).toBe('test');
  expect(ingress).toEqual([
    { ports: [{ port: 'http' }], from: [expect.anything(), namespace('ingress-nginx')] },
    { ports: [{ port: 'ops' }], from: [namespace('monitoring')] },
  ]);
});

withHelm('servers elsewhere are reached where they are said to be', async () => {
  const { egress } = find(await manifestsOf('external'), 'NetworkPolicy', 'expiry-worker').spec;
  expect(egress).toEqual([
    { ports: [{ port: 6432 }, { port: 5432 }], to: [{ ipBlock: { cidr: '10.20.0.0/24' } }] },
    { ports: [{ port: 6380 }], to: [{ ipBlock: { cidr: '10.20.1.0/24' } }] },
  ]);
});
