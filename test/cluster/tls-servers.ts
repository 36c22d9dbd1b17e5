import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apply, run, shell } from './shell.ts';

/** A namespace with servers that the chart did not install, and that accept only TLS. */
export const externalNamespace = 'relay-servers';

const user = (id: number) => ({
  runAsNonRoot: true,
  runAsUser: id,
  fsGroup: id,
  seccompProfile: { type: 'RuntimeDefault' },
});
const certificate = '/tls/tls.crt';
const key = '/tls/tls.key';
const natsConfiguration = `port: 4222\njetstream { store_dir: /data }\ntls { cert_file: ${certificate}, key_file: ${key} }\n`;
const servers = {
  postgres: {
    image: 'postgres:17-bookworm',
    port: 5432,
    user: 999,
    path: '/var/lib/postgresql/data',
    args: ['-c', 'ssl=on', '-c', `ssl_cert_file=${certificate}`, '-c', `ssl_key_file=${key}`],
  },
  redis: {
    image: 'redis:7-bookworm',
    port: 6379,
    user: 999,
    path: '/data',
    args: `--port 0 --tls-port 6379 --tls-auth-clients no --maxmemory-policy noeviction --tls-cert-file ${certificate} --tls-key-file ${key} --tls-ca-cert-file /tls/ca.crt`.split(
      ' ',
    ),
  },
  nats: { image: 'nats:2.11', port: 4222, user: 65532, path: '/data', args: ['--config', '/tls/nats.conf'] },
};
const hostOf = (server: string): string => `${server}.${externalNamespace}.svc`;

/** Starts the servers. Returns the environment for make-secrets.mjs, and the certificate of their authority. */
export async function openTlsServers(): Promise<{ addresses: string; authority: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'relay-tls-'));
  try {
    const names = Object.keys(servers)
      .map((server) => `DNS:${hostOf(server)}`)
      .join();
    const make = 'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 2';
    await shell(
      `${make} -subj /CN=authority -keyout ca.key -out ca.crt
       ${make} -subj /CN=servers -addext subjectAltName=${names} -addext basicConstraints=CA:FALSE -CA ca.crt -CAkey ca.key -keyout tls.key -out tls.crt`,
      folder,
    );
    const read = (file: string) => readFileSync(join(folder, file), 'utf8');
    const tls = Object.fromEntries(['ca.crt', 'tls.crt', 'tls.key'].map((file) => [file, read(file)]));
    await apply([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: externalNamespace } },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'tls', namespace: externalNamespace },
        stringData: { ...tls, 'nats.conf': natsConfiguration },
      },
      ...Object.keys(servers).flatMap((name) => manifestsOf(name as keyof typeof servers)),
    ]);
    const ready = ['--for=condition=Ready', 'pod', '--all', '--timeout=60s'];
    await run('kubectl', ['wait', '--namespace', externalNamespace, ...ready]);
    const addresses = [
      `DATABASE_URL='postgres://relay:relay@${hostOf('postgres')}:5432/relay?sslmode=verify-full'`,
      `NATS_URL='tls://${hostOf('nats')}:4222'`,
      `REDIS_URL='rediss://${hostOf('redis')}:6379'`,
    ];
    return { addresses: addresses.join(' '), authority: read('ca.crt') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function manifestsOf(name: keyof typeof servers): object[] {
  const server = servers[name];
  const metadata = { name, namespace: externalNamespace, labels: { server: name } };
  const relay = ['POSTGRES_USER', 'POSTGRES_PASSWORD', 'POSTGRES_DB'].map((variable) => ({
    name: variable,
    value: 'relay',
  }));
  const container = {
    name,
    image: server.image,
    args: server.args,
    env: name === 'postgres' ? [...relay, { name: 'PGDATA', value: `${server.path}/pgdata` }] : [],
    readinessProbe: { tcpSocket: { port: server.port }, periodSeconds: 1 },
    volumeMounts: [
      { name: 'tls', mountPath: '/tls' },
      { name: 'data', mountPath: server.path },
    ],
  };
  const volumes = [
    // Postgres refuses a key that other users can read.
    { name: 'tls', secret: { secretName: 'tls', defaultMode: 0o440 } },
    { name: 'data', emptyDir: {} },
  ];
  const pod = { securityContext: user(server.user), containers: [container], volumes };
  return [
    { apiVersion: 'v1', kind: 'Pod', metadata, spec: pod },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: metadata.labels, ports: [{ port: server.port }] },
    },
  ];
}
