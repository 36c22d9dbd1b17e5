import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { root } from '../local/home.ts';
import { chart, find, type Manifest, manifestsOf, withHelm } from './testing/helm.ts';

interface Rule {
  ports: { port: number | string; protocol?: string }[];
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
  notifier: 8085,
  gateway: 8080,
  hub: 8083,
  postgres: 5432,
  redis: 6379,
  nats: 4222,
  outside: 443,
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
  expect([...new Set(arrows)].sort()).toEqual(arrowsOfArchitecture().sort());
  expect(arrows.length).toBeGreaterThan(10);
});

withHelm('each arrow is allowed at both of its ends', async () => {
  const policies = policiesOf(await manifestsOf('minimal'));
  const out = policies.flatMap((policy) =>
    (policy.spec.egress ?? []).flatMap(({ to = [] }: Rule) =>
      to
        .filter((peer) => component(peer) in ports && component(peer) !== 'outside')
        .map((peer) => `${nameOf(policy)} -> ${component(peer)}`),
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
          { port: 5353, protocol: 'UDP' },
          { port: 5353, protocol: 'TCP' },
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
  expect(open).toEqual([['dashboard', [{ port: 443, protocol: 'TCP' }]]]);
});

withHelm('the dashboard reaches identity providers at the ports of their addresses', async () => {
  const args = [
    'settings.RELAY_OIDC_ISSUER=https://sso.example.com:8443/realms/a',
    'services.dashboard.env.RELAY_GITHUB_URL=http://github.example.com',
    'services.dashboard.env.RELAY_GOOGLE_ISSUER=https://[fd00::7]:9443',
  ].flatMap((setting) => ['--set', setting]);
  const { egress } = find(await manifestsOf('minimal', ...args), 'NetworkPolicy', 'dashboard').spec;
  const [{ ports: open }] = egress.filter((rule: Rule) => rule.to === undefined);
  expect(open.map(({ port }: { port: number }) => port)).toEqual([443, 80, 9443, 8443]);
});

withHelm(
  'the notifier reaches the internet and no inner network, but for the servers that it needs',
  async () => {
    const args = ['--set', 'networkPolicy.webhooksExcept={203.0.113.0/24,2001:db8::/32}'];
    const { egress } = find(await manifestsOf('minimal', ...args), 'NetworkPolicy', 'notifier').spec;
    const [{ ports: open, to }] = egress.filter(({ to: [peer] }: { to: [object] }) => 'ipBlock' in peer);
    expect(open).toEqual([{ port: 443, protocol: 'TCP' }]);
    const [ipv4, ipv6] = to;
    const inner = ['10.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'];
    expect(ipv4.ipBlock).toEqual({
      cidr: '0.0.0.0/0',
      except: expect.arrayContaining([...inner, '100.64.0.0/10', '168.63.129.16/32', '203.0.113.0/24']),
    });
    expect(ipv6.ipBlock).toEqual({ cidr: '2000::/3', except: ['2001:db8::/32'] });
  },
);

withHelm(
  'the notifier, and no other service, reaches the mail server at the ports that are named',
  async () => {
    const to = [{ ipBlock: { cidr: '10.1.2.3/32' } }];
    const args = [
      '--set',
      'networkPolicy.smtpPorts={465}',
      '--set-json',
      `networkPolicy.smtpTo=${JSON.stringify(to)}`,
    ];
    const reaching = (await manifestsOf('minimal', ...args)).filter(
      ({ kind, spec }) => kind === 'NetworkPolicy' && JSON.stringify(spec.egress ?? []).includes('465'),
    );
    expect(reaching.map(({ metadata }) => metadata.name)).toEqual(['expert-relay-notifier']);
    expect(reaching[0]?.spec.egress).toContainEqual({ ports: [{ port: 465, protocol: 'TCP' }], to });
  },
);

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
    { ports: [{ port: 'http', protocol: 'TCP' }], from: [expect.anything(), namespace('ingress-nginx')] },
    { ports: [{ port: 'ops', protocol: 'TCP' }], from: [namespace('monitoring')] },
  ]);
});

withHelm('servers elsewhere are reached where they are said to be', async () => {
  const { egress } = find(await manifestsOf('external'), 'NetworkPolicy', 'expiry-worker').spec;
  expect(egress).toEqual([
    {
      ports: [
        { port: 6432, protocol: 'TCP' },
        { port: 5432, protocol: 'TCP' },
      ],
      to: [{ ipBlock: { cidr: '10.20.0.0/24' } }],
    },
    { ports: [{ port: 6380, protocol: 'TCP' }], to: [{ ipBlock: { cidr: '10.20.1.0/24' } }] },
  ]);
});

withHelm('every port has a protocol: kubectl would see a change where the API server adds it', async () => {
  for (const file of readdirSync(join(chart, 'ci'))) {
    const rules = policiesOf(await manifestsOf(file.replace('-values.yaml', ''))).flatMap(({ spec }) => [
      ...(spec.egress ?? []),
      ...(spec.ingress ?? []),
    ]);
    const ports = rules.flatMap((rule: Rule) => rule.ports ?? []);
    expect(ports.length).toBeGreaterThan(0);
    expect(ports.filter((port) => !port.protocol)).toEqual([]);
  }
});
