import { join } from 'node:path';
import { describe, expect } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { run } from './testing/go-tool.ts';
import { caseFile, chart, find, helm, type Manifest, manifestsOf, podOf, withHelm } from './testing/helm.ts';

/* How objects and images are named, and when the migration is another Job. */

describe('the migration', () => {
  const jobOf = async (...args: string[]) =>
    (await manifestsOf('minimal', ...args)).find(({ kind }) => kind === 'Job') as Manifest;

  withHelm('is an ordinary Job of this release, whose failed pods stay readable', async () => {
    const job = await jobOf();
    expect(job.metadata.annotations).toBeUndefined();
    expect(job.metadata.name).toMatch(/^expert-relay-migrate-1-[0-9a-f]{8}$/);
    expect(podOf(job)).toMatchObject({
      restartPolicy: 'Never',
      containers: [{ image: 'ghcr.io/expert-relay/requests:0.1.0', args: ['packages/db/dist/migrate.js'] }],
    });
  });

  withHelm.each([
    'image.tag=0.2.0',
    'image.registry=registry.example.com',
    'services.requests.image.digest=sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
    'startPatienceSeconds=90',
    'podLabels.team=a',
    'podAnnotations.team=a',
    'secrets.existing=other',
    'nodeSelector.disk=fast',
    'migration.resources.limits.memory=1Gi',
    'tls.caSecret=servers-ca',
  ])('is another Job with %s, since a Job cannot be changed', async (value) => {
    const [first, other] = [await jobOf(), await jobOf('--set', value)];
    expect(other.spec.template).not.toEqual(first.spec.template);
    expect(other.metadata.name).not.toBe(first.metadata.name);
  });

  withHelm.each(['services.hub.replicas=5', 'migration.annotations.a=b'])(
    'is the same Job with %s',
    async (value) => {
      const [first, other] = [await jobOf(), await jobOf('--set', value)];
      expect([other.metadata.name, other.spec]).toEqual([first.metadata.name, first.spec]);
    },
  );

  withHelm('waits for a Secret that comes late, and spends no attempt on it', async () => {
    const { env } = podOf(await jobOf()).containers[0];
    expect(env).toContainEqual({
      name: 'DATABASE_URL',
      valueFrom: { secretKeyRef: { name: 'relay-secrets', key: 'DATABASE_URL' } },
    });
  });
});

describe('names', () => {
  const release = `a${'-release-of-a-team'.repeat(3)}`.slice(0, 53);
  const named = async () => {
    const text = await helm(
      'template',
      release,
      chart,
      '--namespace',
      'relay',
      '--kube-version',
      '1.34.0',
      '--values',
      caseFile('everything'),
    );
    return parseAllDocuments(text).map((document) => document.toJSON() as Manifest);
  };

  withHelm('fit behind a release name of 53 characters, and at revision 1000', async () => {
    expect(release).toHaveLength(53);
    const all = await named();
    for (const { kind, metadata } of all) {
      // Kubernetes makes a label of the name of a StatefulSet and 11 characters.
      const limit = kind === 'StatefulSet' ? 52 : kind === 'Job' ? 63 - '000'.length : 63;
      expect([kind, metadata.name, metadata.name.length <= limit]).toEqual([kind, metadata.name, true]);
    }
    expect(new Set(all.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).size).toBe(all.length);
  });

  withHelm('of the trial servers are those in the addresses of make-secrets.mjs', async () => {
    const { stdout } = await run(process.execPath, [join(chart, 'make-secrets.mjs'), '--trial', release]);
    const hosts = [...stdout.matchAll(/@([a-z0-9-]+):\d+/g)].map(([, host]) => host);
    const names = (await named())
      .filter(({ kind }) => kind === 'StatefulSet')
      .map((one) => one.metadata.name);
    expect([...new Set(hosts)].sort()).toEqual(names.sort());
  });

  withHelm('may begin with another one than the release name', async () => {
    const all = await manifestsOf('minimal', '--set', 'fullnameOverride=ask');
    expect(all.filter(({ metadata }) => !metadata.name.startsWith('ask'))).toEqual([]);
  });
});

describe('images', () => {
  const digest = 'sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef';

  withHelm('are named by a digest where there is one', async () => {
    const all = await manifestsOf('everything');
    const { containers } = podOf(find(all, 'Deployment', 'requests'));
    expect(containers[0].image).toBe(`registry.example.com/relay/requests@${digest}`);
    expect(podOf(find(all, 'Deployment', 'hub')).containers[0].image).toBe(
      'registry.example.com/relay/hub:0.1.0-rc.1',
    );
  });

  withHelm('have tags of any length, of which the label has what fits', async () => {
    const tag = `${'a'.repeat(62)}_${'b'.repeat(65)}`;
    const { metadata } = find(await manifestsOf('minimal', '--set', `image.tag=${tag}`), 'Deployment', 'hub');
    expect(metadata.labels['app.kubernetes.io/version']).toBe('a'.repeat(62));
  });
});
