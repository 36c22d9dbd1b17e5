import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listVariables, unknownSettings, type Variables } from '@expert-relay/kit/config';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import * as dashboard from '../../services/dashboard/src/config.ts';
import * as expiryWorker from '../../services/expiry-worker/src/config.ts';
import * as gateway from '../../services/gateway/src/config.ts';
import * as hub from '../../services/hub/src/config.ts';
import * as messages from '../../services/messages/src/config.ts';
import * as notifier from '../../services/notifier/src/config.ts';
import * as requests from '../../services/requests/src/config.ts';
import { root } from '../local/home.ts';
import { redisUsers } from './server-users.ts';
import { loadCompose, withCompose } from './testing/compose.ts';
import { run } from './testing/go-tool.ts';
import { chart, find, type Manifest, manifestsOf, withHelm, withOpenssl } from './testing/helm.ts';

interface Config {
  variables: Variables;
  readConfig(env: NodeJS.ProcessEnv): object;
}

const configs: Record<string, Config> = {
  gateway,
  requests,
  messages,
  hub,
  'expiry-worker': expiryWorker,
  dashboard,
  notifier,
};
/** Servers of the chart, servers of one's own, and all values at once. The other cases differ in what is not environment. */
const cases = ['minimal', 'external', 'everything'];

/** What `kubectl exec` of the admin command reads in the pods of requests besides, and what Node reads. */
const others = ['RELAY_PUBLIC_URL', 'NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS'];

interface Entry {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef: { name: string; key: string; optional?: boolean } };
}

async function environmentOf(name: string, service: string): Promise<Entry[]> {
  return containerOf(find(await manifestsOf(name), 'Deployment', service)).env;
}

const containerOf = ({ spec }: Manifest) => spec.template.spec.containers[0];

describe('the environment of each workload', () => {
  withHelm.each(cases)('%s: each gets what its config.ts requires, and nothing else', async (name) => {
    for (const [service, { variables }] of Object.entries(configs)) {
      const read = listVariables(variables);
      const names = (await environmentOf(name, service)).map((entry) => entry.name);
      const required = read.filter(({ fallback }) => fallback === undefined);
      expect(names).toEqual(expect.arrayContaining(required.map((variable) => variable.name)));
      const known = [...read.map((variable) => variable.name), ...others];
      expect([service, names.filter((one) => !known.includes(one))]).toEqual([service, []]);
      expect(new Set(names).size).toBe(names.length);
    }
  });

  withHelm.each(cases)('%s: each gets secrets only by reference', async (name) => {
    for (const [service, { variables }] of Object.entries(configs)) {
      const secrets = listVariables(variables).filter(({ secret }) => secret);
      for (const entry of await environmentOf(name, service)) {
        if (!secrets.some((secret) => secret.name === entry.name)) continue;
        expect(entry).toEqual({
          name: entry.name,
          valueFrom: { secretKeyRef: expect.objectContaining({ name: 'relay-secrets' }) },
        });
      }
    }
  });
});

/* Helm accepts these: whether a value is allowed, only the service knows. */
withHelm.each([
  ['RELAY_RETENTION', '90', 'expiry-worker'],
  ['RELAY_NATS_REPLICAS', '9', 'requests'],
  ['RELAY_LOG_LEVEL', 'loud', 'hub'],
])('%s=%s stops the start of %s', async (name, value, service) => {
  const secret = await secretOf({}, '--trial', 'expert-relay');
  const { readConfig } = configs[service] as Config;
  const start = async (...args: string[]) => {
    const deployment = find(await manifestsOf('minimal', ...args), 'Deployment', service);
    return readConfig(resolve(containerOf(deployment).env, secret));
  };
  await start();
  await expect(start('--set', `settings.${name}=${value}`)).rejects.toThrow(`${name} `);
});

/** The environment as a container would get it, with files that do not exist here left out. */
function resolve(entries: readonly Entry[], secret: Record<string, string>): NodeJS.ProcessEnv {
  const resolved = entries.map(({ name, value, valueFrom }) => {
    const { key = '', optional = false } = valueFrom?.secretKeyRef ?? {};
    if (valueFrom && !optional) expect(Object.keys(secret)).toContain(key);
    return [name, valueFrom ? secret[key] : value] as const;
  });
  return Object.fromEntries(resolved);
}

const secretOf = async (env: NodeJS.ProcessEnv, ...args: string[]) => {
  const { stdout } = await run(process.execPath, [`${chart}/make-secrets.mjs`, ...args], { env });
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/=(.*)/s));
  return Object.fromEntries(lines.map(([name = '', value = '']) => [name, value])) as Record<string, string>;
};

const publicKeyOf = (privateKey = '') =>
  createPublicKey(
    createPrivateKey({ key: Buffer.from(privateKey, 'base64url'), format: 'der', type: 'pkcs8' }),
  )
    .export({ type: 'spki', format: 'der' })
    .toString('base64url');

describe('make-secrets.mjs', () => {
  const servers = {
    DATABASE_URL: 'postgres://relay:pw@pooler.example:6432/relay?pgbouncer=true',
    DATABASE_DIRECT_URL: 'postgres://relay:pw@postgres.example/relay',
    NATS_URL: 'tls://nats.example',
    REDIS_URL: 'rediss://redis.example:6380',
  };

  withHelm.each(cases)('%s: with what it prints, each service starts', async (name) => {
    const secret = {
      ...(name === 'external' ? await secretOf(servers) : await secretOf({}, '--trial', 'expert-relay')),
      ...(name === 'everything' && { RELAY_GITHUB_CLIENT_SECRET: 'a', RELAY_OIDC_CLIENT_SECRET: 'b' }),
    };
    for (const [service, { readConfig }] of Object.entries(configs)) {
      const env = resolve(await environmentOf(name, service), secret);
      expect(() => readConfig(env)).not.toThrow();
      expect(unknownSettings(env)).toEqual([]);
    }
  });

  withOpenssl('the lines with openssl in docs/secrets.md make the same keys', async () => {
    const docs = readFileSync(join(root, 'docs/secrets.md'), 'utf8');
    const [, lines = ''] =
      /`openssl` makes the same keys of the relay\. Save this as `make-keys\.sh`:\n\n```sh\n(.*?)```/s.exec(
        docs,
      ) ?? [];
    const { stdout } = await run('/bin/sh', ['-c', lines]);
    const byOpenssl = Object.fromEntries(stdout.split('\n').map((line) => line.split(/=(.*)/s)));
    const byNode = await secretOf(servers);
    const ours = Object.keys(byNode).filter((name) => name.startsWith('RELAY_'));
    expect(Object.keys(byOpenssl).filter(Boolean).sort()).toEqual(ours.sort());
    const [from, to] = ['RELAY_STREAM_TOKEN_PRIVATE_KEY', 'RELAY_STREAM_TOKEN_PUBLIC_KEYS'] as const;
    expect(publicKeyOf(byOpenssl[from])).toBe(byOpenssl[to]);
    const secret = await secretOf({}, '--trial', 'expert-relay');
    for (const service of Object.keys(configs)) {
      const env = resolve(await environmentOf('minimal', service), {
        ...secret,
        ...byOpenssl,
      });
      expect(() => configs[service]?.readConfig(env)).not.toThrow();
    }
  });

  withHelm('the secret of an OAuth client is asked for when its id is set, and only then', async () => {
    const namesIn = async (name: string) =>
      (await environmentOf(name, 'dashboard')).map((entry) => entry.name);
    expect(await namesIn('everything')).toContain('RELAY_GITHUB_CLIENT_SECRET');
    expect(await namesIn('everything')).not.toContain('RELAY_GOOGLE_CLIENT_SECRET');
    expect(await namesIn('minimal')).not.toContain('RELAY_GITHUB_CLIENT_SECRET');
  });

  withHelm('the trial servers and the migration find their keys in it', async () => {
    const all = await manifestsOf('minimal');
    const secret = await secretOf({}, '--trial', 'expert-relay');
    for (const server of ['postgres', 'redis', 'nats']) {
      resolve(containerOf(find(all, 'StatefulSet', server)).env, secret);
    }
    const job = all.find(({ kind }) => kind === 'Job') as Manifest;
    expect(resolve(containerOf(job).env, secret).DATABASE_URL).toMatch(/@expert-relay-postgres:5432\/relay$/);
  });

  test('takes an address for each service that is a user of its own', async () => {
    const { DATABASE_URL, REDIS_URL } = servers;
    const users = ['GATEWAY', 'REQUESTS', 'MESSAGES', 'HUB'].map((user) => [
      `NATS_URL_${user}`,
      `tls://${user}:pw@nats.example`,
    ]);
    const own = { ...Object.fromEntries(users), REDIS_URL_DASHBOARD: 'rediss://dashboard@redis.example' };
    const given = { DATABASE_URL, REDIS_URL, ...own };
    expect(await secretOf(given)).toMatchObject({ ...own, REDIS_URL_EXPIRY_WORKER: REDIS_URL });
    await expect(secretOf({ ...given, NATS_URL_HUB: '' })).rejects.toThrow(/NATS_URL_HUB and so on/);
  });

  test('what it prints is never repeated in an error: settings may be swapped', async () => {
    const keys = Object.keys(await secretOf(servers));
    for (const { variables } of Object.values(configs)) {
      const read = listVariables(variables).filter(({ name }) =>
        keys.some((key) => key === name || key.startsWith(`${name}_`)),
      );
      expect(read.filter(({ secret }) => !secret)).toEqual([]);
    }
  });

  test('makes new keys each time, and names what it lacks', async () => {
    const [one, other] = [await secretOf(servers), await secretOf(servers)];
    const same = Object.keys(one).filter((key) => one[key] === other[key]);
    expect(same.every((key) => /_URL(_|$)/.test(key))).toBe(true);
    await expect(secretOf({})).rejects.toThrow(
      /Set DATABASE_URL, NATS_URL and REDIS_URL .* or say\s--trial <name>/s,
    );
  });
});

describe('compose.yaml', () => {
  const text = readFileSync(join(root, 'compose.yaml'), 'utf8');
  const compose: { services: Record<string, { environment: Record<string, string> }> } = parse(text, {
    merge: true,
  });

  test('each service starts with what it gets there', async () => {
    const secret = await secretOf({}, '--trial', 'relay');
    for (const [service, { readConfig }] of Object.entries(configs)) {
      const env = Object.fromEntries(
        Object.entries(compose.services[service]?.environment ?? {}).map(([name, value]) => [
          name,
          interpolate(value, (key, fallback) => {
            if (fallback === undefined) expect(Object.keys(secret)).toContain(key);
            return secret[key] ?? fallback ?? '';
          }),
        ]),
      );
      expect(() => readConfig(env)).not.toThrow();
      expect(unknownSettings(env)).toEqual([]);
    }
  });

  /** Replaces the innermost variables first: a default may contain another variable. */
  function interpolate(value: string, read: (key: string, fallback: string | undefined) => string): string {
    const replaced = value.replaceAll(/\$\{(\w+)(?::-([^${}]*)|:\?[^${}]*)?\}/g, (_, key, fallback) =>
      read(key, fallback),
    );
    return replaced === value ? value : interpolate(replaced, read);
  }

  withCompose('Docker Compose takes it with what make-secrets.mjs prints', async () => {
    const file = join(root, 'compose.yaml');
    const secret = await secretOf({}, '--trial', 'relay');
    expect(await loadCompose(file, secret)).toBe('');
    // Compose replaces a variable without a value by nothing, and the service would restart until somebody reads its log.
    expect(await loadCompose(file, {})).toMatch(/\w is missing a value: add it to .env/);
    const { RELAY_SESSION_SECRET: _, ...others } = secret;
    expect(await loadCompose(file, others)).toMatch(
      /required variable RELAY_SESSION_SECRET is missing a value: add it to .env/,
    );
  });

  test('each variable has a default, or Compose asks for it', () => {
    const used = [...text.replaceAll(/^ *#.*$/gm, '').matchAll(/\$\{(\w+)(:[-?])?/g)];
    expect(used.filter(([, , handling]) => handling === undefined)).toEqual([]);
  });

  test('the settings of docs/sign-in.md that have no address of their own reach the dashboard', () => {
    const page = readFileSync(join(root, 'docs/sign-in.md'), 'utf8');
    const named = new Set(page.match(/RELAY_OIDC_\w+/g));
    const given = Object.keys(compose.services.dashboard?.environment ?? {});
    expect([...named].filter((name) => !given.includes(name))).toEqual([]);
  });

  test('`up` ends when the migration fails again and again', () => {
    const { restart } = compose.services.migrate as unknown as { restart: string };
    expect(restart).toMatch(/^on-failure:\d$/);
  });

  test('the secrets that its instructions write into .env stay out of the repository', () => {
    expect(readFileSync(join(root, '.gitignore'), 'utf8').split('\n')).toContain('.env');
  });

  test('Redis knows the users of the chart', () => {
    const { command } = compose.services['relay-redis'] as unknown as { command: string[] };
    const users = redisUsers('relay', (user) => `\${REDIS_PASSWORD_${user.toUpperCase().replace('-', '_')}}`);
    const plain = command.map((argument) => argument.replace(/:\?[^}]*/, ''));
    expect(plain).toEqual(['--appendonly', 'yes', '--maxmemory-policy', 'noeviction', ...users.flat()]);
  });
});
