import { unknownSettings } from '@expert-relay/kit/config';
import { describe, expect } from '@jest/globals';
import { serviceNames as services } from '../local/services.ts';
import { find, type Manifest, manifests, manifestsOf, podOf, withHelm } from './testing/helm.ts';

/* One test for each promise of the chart, on what it renders. */

const cases = ['minimal', 'external', 'high-availability', 'no-hub-ingress', 'everything'];

const deploymentOf = async (name: string, service: string, ...args: string[]) =>
  find(await manifestsOf(name, ...args), 'Deployment', service).spec;
const namesOf = (all: readonly Manifest[], kind: string) =>
  all.filter((one) => one.kind === kind).map((one) => one.metadata.name.replace('expert-relay-', ''));

describe('every pod', () => {
  withHelm.each(cases)('%s: keeps to the restricted Pod Security', async (name) => {
    const pods = (await manifestsOf(name)).filter(({ kind }) =>
      ['Deployment', 'StatefulSet', 'Job', 'Pod'].includes(kind),
    );
    expect(pods.length).toBeGreaterThanOrEqual(8);
    for (const manifest of pods) {
      const pod = podOf(manifest);
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: expect.any(Number),
          seccompProfile: { type: 'RuntimeDefault' },
        },
      });
      expect(pod.securityContext.runAsUser).toBeGreaterThan(0);
      for (const container of pod.containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources).toMatchObject({
          requests: { cpu: expect.anything(), memory: expect.anything() },
          limits: { memory: expect.anything() },
        });
        // `kubectl describe pod` shows why it ended.
        expect(container.terminationMessagePolicy).toBe('FallbackToLogsOnError');
      }
    }
  });

  withHelm('has the annotations that are for all pods', async () => {
    const templates = (await manifestsOf('everything')).flatMap(({ kind, metadata, spec }) =>
      kind === 'Pod' ? [metadata] : spec?.template ? [spec.template.metadata] : [],
    );
    expect(templates).toHaveLength(services.length + 5);
    for (const { annotations } of templates)
      expect(annotations).toMatchObject({ 'example.com/team': 'platform' });
  });

  withHelm('has labels by which policies find it, and none that a new chart would change', async () => {
    const { template, selector } = await deploymentOf('minimal', 'hub');
    expect(template.metadata.labels).toEqual({
      ...selector.matchLabels,
      'app.kubernetes.io/part-of': 'expert-relay',
    });
    expect(selector.matchLabels).toEqual({
      'app.kubernetes.io/name': 'expert-relay',
      'app.kubernetes.io/instance': 'expert-relay',
      'app.kubernetes.io/component': 'hub',
    });
  });
});

describe('what a cluster may need', () => {
  withHelm('a service account of its own, whose token no pod gets', async () => {
    const all = await manifestsOf('everything');
    const account = all.find(({ kind }) => kind === 'ServiceAccount') as Manifest;
    expect(account.metadata).toMatchObject({
      name: 'expert-relay',
      annotations: { 'example.com/role': 'relay' },
    });
    const pods = all.filter(({ kind }) => ['Deployment', 'StatefulSet', 'Job', 'Pod'].includes(kind));
    expect([...new Set(pods.map((one) => podOf(one).serviceAccountName))]).toEqual(['expert-relay']);
  });

  withHelm('members of a pod that replace those of the chart, for one service', async () => {
    const all = await manifestsOf('everything');
    const { nodeSelector, affinity, topologySpreadConstraints } = podOf(find(all, 'Deployment', 'gateway'));
    expect([nodeSelector, affinity, topologySpreadConstraints]).toEqual([
      { disk: 'fast' },
      { nodeAffinity: {} },
      [],
    ]);
    expect(podOf(find(all, 'Deployment', 'hub')).nodeSelector).toEqual({ 'kubernetes.io/arch': 'amd64' });
  });

  withHelm('a Service that a cloud makes public, and another disruption budget', async () => {
    const all = await manifestsOf('everything');
    expect(find(all, 'Service', 'gateway')).toMatchObject({
      metadata: { annotations: { 'example.com/scheme': 'internal' } },
      spec: { type: 'LoadBalancer' },
    });
    expect(find(all, 'Service', 'hub').spec.type).toBe('ClusterIP');
    // Otherwise calls come from the addresses of nodes, which would share the limits of one address.
    expect(find(all, 'Service', 'gateway').spec.externalTrafficPolicy).toBe('Local');
    expect(find(all, 'Service', 'hub').spec).not.toHaveProperty('externalTrafficPolicy');
    const spread = ['type=NodePort', 'externalTrafficPolicy=Cluster'];
    const args = spread.flatMap((one) => ['--set', `services.hub.service.${one}`]);
    const { type, externalTrafficPolicy } = find(
      await manifestsOf('minimal', ...args),
      'Service',
      'hub',
    ).spec;
    expect([type, externalTrafficPolicy]).toEqual(['NodePort', 'Cluster']);
    const { minAvailable, maxUnavailable } = find(all, 'PodDisruptionBudget', 'gateway').spec;
    expect([minAvailable, maxUnavailable]).toEqual([2, undefined]);
  });

  withHelm('another user, or one that the cluster chooses', async () => {
    const userOf = async (...args: string[]) => {
      const { securityContext } = (await deploymentOf('minimal', 'hub', ...args)).template.spec;
      return [securityContext.runAsUser, securityContext.runAsGroup, securityContext.runAsNonRoot];
    };
    expect(await userOf('--set', 'runAsUser=10001')).toEqual([10001, 10001, true]);
    expect(await userOf('--set', 'runAsUser=0')).toEqual([undefined, undefined, true]);
  });

  withHelm('secrets that are elsewhere, under other names', async () => {
    const from = ['DATABASE_URL.name=postgres-app', 'DATABASE_URL.key=uri', 'NATS_URL_HUB.key=nats'];
    const all = await manifestsOf('minimal', ...from.flatMap((one) => ['--set', `secrets.from.${one}`]));
    const referenceOf = (manifest: Manifest, name: string) =>
      podOf(manifest).containers[0].env.find((one: { name: string }) => one.name === name).valueFrom;
    const job = all.find(({ kind }) => kind === 'Job') as Manifest;
    for (const manifest of [job, find(all, 'Deployment', 'gateway')]) {
      expect(referenceOf(manifest, 'DATABASE_URL')).toEqual({
        secretKeyRef: { name: 'postgres-app', key: 'uri' },
      });
    }
    expect(referenceOf(find(all, 'Deployment', 'hub'), 'NATS_URL')).toEqual({
      secretKeyRef: { name: 'relay-secrets', key: 'nats' },
    });
  });

  withHelm('a list of people who may sign in that changes without a restart', async () => {
    const all = await manifestsOf('everything');
    const { containers, volumes } = podOf(find(all, 'Deployment', 'dashboard'));
    expect(find(all, 'ConfigMap', 'allowed-users').data).toEqual({
      list: '@example.org\noidc:group/experts\n',
    });
    expect(volumes).toContainEqual({
      name: 'allowed-users',
      configMap: { name: 'expert-relay-allowed-users' },
    });
    expect(containers[0].env).toContainEqual({
      name: 'RELAY_ALLOWED_USERS_FILE',
      value: '/etc/expert-relay/allowed-users/list',
    });
    const others = services.filter((service) => service !== 'dashboard');
    const texts = others.map((service) => JSON.stringify(find(all, 'Deployment', service)));
    expect(texts.filter((text) => /allowed-users|ALLOWED_USERS/.test(text))).toEqual([]);
  });

  withHelm('further variables, in the migration and the test too', async () => {
    const all = await manifestsOf('everything');
    const pods = all.filter(({ kind }) => ['Deployment', 'Job', 'Pod'].includes(kind));
    for (const pod of pods) {
      const { name, env } = podOf(pod).containers[0];
      expect([name, env]).toEqual([
        name,
        expect.arrayContaining([expect.objectContaining({ name: 'NODE_OPTIONS' })]),
      ]);
    }
  });
});

withHelm(
  'what docs/kubernetes.md applies without Helm has no pod of its own: it could not be changed',
  async () => {
    const kinds = async (...args: string[]) =>
      (await manifestsOf('minimal', ...args)).map(({ kind }) => kind);
    expect(await kinds()).toContain('Pod');
    expect(await kinds('--skip-tests')).not.toContain('Pod');
  },
);

describe('a rollout', () => {
  withHelm.each(services)('of %s never has fewer pods than before', async (service) => {
    const { strategy } = await deploymentOf('minimal', service);
    expect(strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } });
  });

  withHelm.each(services)('lets %s end in peace: its own limit and 5 s more', async (service) => {
    for (const [name, pause, limit] of [
      ['minimal', 5, service === 'hub' ? 35 : 25],
      ['everything', 10, service === 'hub' ? 70 : 40],
    ] as const) {
      const { terminationGracePeriodSeconds, containers } = podOf(
        find(await manifestsOf(name), 'Deployment', service),
      );
      expect(terminationGracePeriodSeconds).toBe(limit + 5);
      const env = containers[0].env;
      expect(env).toContainEqual({ name: 'RELAY_SHUTDOWN_LIMIT', value: `${limit}s` });
      expect(env).toContainEqual({ name: 'RELAY_SHUTDOWN_PAUSE', value: `${pause}s` });
    }
  });

  withHelm('asks each pod whether it lives and whether it is ready', async () => {
    for (const service of services) {
      const { containers } = podOf(find(await manifestsOf('minimal'), 'Deployment', service));
      expect(containers[0]).toMatchObject({
        livenessProbe: { httpGet: { path: '/livez', port: 'ops' } },
        readinessProbe: { httpGet: { path: '/readyz', port: 'ops' } },
      });
    }
  });

  withHelm('spreads pods over nodes and zones', async () => {
    const { topologySpreadConstraints } = podOf(find(await manifestsOf('minimal'), 'Deployment', 'gateway'));
    expect(topologySpreadConstraints.map((one: { topologyKey: string }) => one.topologyKey)).toEqual([
      'kubernetes.io/hostname',
      'topology.kubernetes.io/zone',
    ]);
  });
});

describe('several pods', () => {
  withHelm('have a disruption budget, a single one has none', async () => {
    const all = await manifestsOf('everything');
    expect(namesOf(all, 'PodDisruptionBudget').sort()).toEqual(['dashboard', 'gateway', 'hub', 'messages']);
    expect(find(all, 'PodDisruptionBudget', 'hub').spec.maxUnavailable).toBe(1);
  });

  withHelm('are counted by an autoscaler or by the deployment, never by both', async () => {
    const all = await manifestsOf('high-availability');
    expect(namesOf(all, 'HorizontalPodAutoscaler').sort()).toEqual([
      'gateway',
      'hub',
      'messages',
      'requests',
    ]);
    for (const service of services) {
      const { replicas } = find(all, 'Deployment', service).spec;
      expect(replicas === undefined).toBe(['gateway', 'hub', 'messages', 'requests'].includes(service));
    }
  });

  withHelm('fit into what Postgres allows with all autoscalers on, by smaller pools', async () => {
    const scaled = services.flatMap((service) => ['--set', `services.${service}.autoscaling.enabled=true`]);
    const on = ['--set', 'postgres.trial.enabled=false', ...scaled];
    const poolOf = async (...args: string[]) => {
      const { env } = (await deploymentOf('minimal', 'requests', ...args)).template.spec.containers[0];
      return env.find(({ name }: { name: string }) => name === 'RELAY_DATABASE_POOL').value;
    };
    expect(await poolOf()).toBe('3');
    expect(await poolOf(...on, '--set', 'postgres.maxConnections=141')).toBe('2');
    expect(await poolOf(...on, '--set', 'postgres.maxConnections=497')).toBe('10');
    expect(await poolOf('--set', 'settings.RELAY_DATABASE_POOL=3')).toBe('3');
  });

  withHelm('of the hub are scaled by their streams too', async () => {
    const { metrics } = find(await manifestsOf('high-availability'), 'HorizontalPodAutoscaler', 'hub').spec;
    expect(metrics[1]).toEqual({
      type: 'Pods',
      pods: { metric: { name: 'relay_hub_streams' }, target: { type: 'AverageValue', averageValue: '8000' } },
    });
  });
});

describe('routes', () => {
  withHelm('of nginx let our own 413 through, and do not hold streams back', async () => {
    const all = await manifestsOf('high-availability');
    expect(find(all, 'Ingress', 'gateway').metadata.annotations).toEqual({
      'nginx.ingress.kubernetes.io/proxy-body-size': '2m',
    });
    expect(find(all, 'Ingress', 'hub').metadata.annotations).toEqual({
      'nginx.ingress.kubernetes.io/proxy-buffering': 'off',
      'nginx.ingress.kubernetes.io/proxy-read-timeout': '3600',
      'nginx.ingress.kubernetes.io/proxy-send-timeout': '3600',
    });
    const [{ host, http }] = find(all, 'Ingress', 'hub').spec.rules;
    expect([host, http.paths[0].path]).toEqual(['relay.example.com', '/hub']);
  });

  withHelm('have a certificate for each host', async () => {
    const all = await manifestsOf('everything');
    const tlsOf = (name: string) => find(all, 'Ingress', name).spec.tls;
    expect(tlsOf('gateway')).toEqual([{ hosts: ['relay.example.com'], secretName: 'relay-tls' }]);
    expect(tlsOf('hub')).toEqual([{ hosts: ['events.example.com'], secretName: 'events-tls' }]);
  });

  withHelm('of the Gateway API never end a stream', async () => {
    const { hostnames, rules } = find(await manifestsOf('everything'), 'HTTPRoute', 'hub').spec;
    expect(hostnames).toEqual(['events.example.com']);
    expect(rules[0].timeouts).toEqual({ request: '0s' });
  });

  withHelm('leave the hub out where it is reached in another way', async () => {
    const all = await manifestsOf('no-hub-ingress');
    expect(namesOf(all, 'Ingress')).toEqual(['gateway']);
    const { env } = podOf(find(all, 'Deployment', 'gateway')).containers[0];
    expect(env).toContainEqual({ name: 'RELAY_HUB_PUBLIC_URL', value: 'https://events.example.com' });
  });

  withHelm('are absent, and trial servers too, unless they are asked for', async () => {
    const args = ['publicUrl=https://relay.example.com', 'secrets.existing=s'].flatMap((one) => [
      '--set',
      one,
    ]);
    const all = await manifests(...args);
    expect(namesOf(all, 'Deployment').sort()).toEqual([...services].sort());
    expect(all.filter(({ kind }) => /Ingress|HTTPRoute|PersistentVolumeClaim|Secret/.test(kind))).toEqual([]);
  });
});

describe('trial servers', () => {
  withHelm('have minutes for their first start, before anything ends them', async () => {
    const all = await manifestsOf('minimal');
    for (const server of ['postgres', 'redis', 'nats']) {
      const { startupProbe } = podOf(find(all, 'StatefulSet', server)).containers[0];
      expect(startupProbe).toMatchObject({
        tcpSocket: { port: server },
        periodSeconds: 2,
        failureThreshold: 300,
      });
    }
  });

  withHelm('keep what they are given', async () => {
    const all = await manifestsOf('minimal');
    for (const server of ['postgres', 'redis', 'nats']) {
      // Only a StatefulSet replaces a deleted pod after it has ended: two servers would destroy one volume.
      expect(find(all, 'StatefulSet', server).spec.replicas).toBe(1);
      // Postgres does not start again where the group may write.
      expect(podOf(find(all, 'StatefulSet', server)).securityContext).toMatchObject({
        fsGroupChangePolicy: 'OnRootMismatch',
      });
      const { annotations } = find(all, 'PersistentVolumeClaim', server).metadata;
      expect(annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
      expect(podOf(find(all, 'StatefulSet', server)).volumes[0]).toEqual({
        name: 'data',
        persistentVolumeClaim: { claimName: `expert-relay-${server}` },
      });
    }
    const { args } = podOf(find(all, 'StatefulSet', 'redis')).containers[0];
    expect(args.slice(0, 4)).toEqual(['--appendonly', 'yes', '--maxmemory-policy', 'noeviction']);
    // The stream sets 1 GiB aside.
    const { storage } = find(all, 'PersistentVolumeClaim', 'nats').spec.resources.requests;
    expect(storage).toBe('2Gi');
    expect(find(all, 'ConfigMap', 'nats').data?.['nats.conf']).toContain('max_file_store: 1536MB');
  });
});

describe('settings', () => {
  withHelm('reach the services that read them, and those of a service win', async () => {
    const all = await manifestsOf('everything');
    const envOf = (service: string) =>
      Object.fromEntries(
        podOf(find(all, 'Deployment', service)).containers[0].env.map(
          (one: { name: string; value: string }) => [one.name, one.value],
        ),
      );
    expect(envOf('expiry-worker')).toMatchObject({ RELAY_RETENTION: '90d', RELAY_PURGE_HOURS: '22-6' });
    expect(envOf('gateway')).not.toHaveProperty('RELAY_RETENTION');
    expect(envOf('gateway')).toMatchObject({
      RELAY_BUFFER_MEMORY: '268435456',
      RELAY_LOG_LEVEL: 'debug',
      RELAY_TRUSTED_PROXIES: '10.42.5.0/28,2001:db8:0:5::/64',
      NODE_OPTIONS: '--max-old-space-size=384',
    });
    expect(envOf('hub')).toMatchObject({
      HUB_REQUIRE_AUTH: 'true',
      RELAY_HUB_MAX_STREAMS: '30000',
      RELAY_HUB_DRAIN_SPREAD: '30s',
    });
  });
});

describe('TLS', () => {
  withHelm('certificates reach every pod that talks to a server', async () => {
    const all = await manifestsOf('external');
    const job = all.find(({ kind }) => kind === 'Job') as Manifest;
    for (const manifest of [...services.map((service) => find(all, 'Deployment', service)), job]) {
      const { containers, volumes } = podOf(manifest);
      expect(containers[0].env).toContainEqual({
        name: 'NODE_EXTRA_CA_CERTS',
        value: '/etc/expert-relay/ca/ca.crt',
      });
      expect(volumes).toContainEqual(expect.objectContaining({ name: 'ca' }));
    }
  });

  withHelm('the key for NATS reaches the pods that talk to NATS, and no others', async () => {
    const all = await manifestsOf('external');
    const certificateFile = { name: 'RELAY_NATS_CERT_FILE', value: '/etc/expert-relay/nats/tls.crt' };
    const pods = all.filter(({ kind }) => ['Deployment', 'Job', 'Pod'].includes(kind)).map(podOf);
    const withKey = pods.filter(({ volumes = [] }) =>
      volumes.some(({ name }: { name: string }) => name === 'nats-certificate'),
    );
    expect(withKey.map(({ containers: [{ name }] }) => name).sort()).toEqual([
      'gateway',
      'hub',
      'messages',
      'requests',
    ]);
    for (const { containers } of withKey) expect(containers[0].env).toContainEqual(certificateFile);
  });

  withHelm(
    'an authority of the servers does not make NATS insist on TLS: its address decides that',
    async () => {
      // With RELAY_NATS_CA_FILE a service refuses a NATS without TLS, such as the trial server.
      const setting = 'RELAY_NATS_CA_FILE';
      expect(unknownSettings({ [setting]: '/ca.crt' })).toEqual([]);
      for (const name of ['everything', 'external']) {
        const pods = (await manifestsOf(name)).filter(({ kind }) =>
          ['Deployment', 'Job', 'Pod'].includes(kind),
        );
        const all = pods.flatMap((pod) => podOf(pod).containers[0].env ?? []).map(({ name }) => name);
        expect(all).toContain('NODE_EXTRA_CA_CERTS');
        expect(all).not.toContain(setting);
      }
    },
  );

  withHelm('a pooler makes the direct address required', async () => {
    const { env } = podOf(find(await manifestsOf('external'), 'Deployment', 'messages')).containers[0];
    expect(env).toContainEqual({
      name: 'DATABASE_DIRECT_URL',
      valueFrom: { secretKeyRef: { name: 'relay-secrets', key: 'DATABASE_DIRECT_URL' } },
    });
  });
});
