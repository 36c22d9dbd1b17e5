import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@expert-relay/testkit';
import { describe, expect, jest } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { root } from '../../scripts/local/home.ts';
import { serviceNames } from '../../scripts/local/services.ts';
import { testUnless } from '../../scripts/testing/test-unless.ts';
import { drainNodes } from './drain-nodes.ts';
import { killContainers, openKiller } from './kill-containers.ts';
import { gatewayUrl, hubUrl, openLoadPod, outside } from './load/start-load.ts';
import { commandsOf } from './page.ts';
import { tryPolicies } from './policies.ts';
import { writeRecord } from './record.ts';
import { restoreBackup } from './restore-backup.ts';
import { apply, kubectl, namespace, podsOf, run, shell } from './shell.ts';
import { externalNamespace, openTlsServers } from './tls-servers.ts';
import { type Outcome, underLoad } from './under-load.ts';

// Deletes and replaces the namespaces `relay` and `relay-outside` of the cluster in KUBECONFIG. It runs only if
// RELAY_TEST_CLUSTER names the older commit for the upgrade; the images of that commit have the tag `previous`.
const { KUBECONFIG, RELAY_TEST_CLUSTER: older } = process.env;
const isOn = Boolean(KUBECONFIG && older);
const withCluster = testUnless(
  isOn ? undefined : 'KUBECONFIG or RELAY_TEST_CLUSTER is not set (CONTRIBUTING.md)',
);
jest.setTimeout(600_000);

const chart = join(root, 'charts/expert-relay');
const names: readonly string[] = serviceNames;
const servers = ['postgres', 'redis', 'nats'];
const facts: string[] = [];
const outcomes: Outcome[] = [];
let restarts = 0;

function note(fact: string): void {
  facts.push(fact);
  process.stderr.write(`${fact}\n`);
}

async function remove(): Promise<void> {
  await run('kubectl', [
    'delete',
    'namespace',
    namespace,
    outside,
    externalNamespace,
    '--ignore-not-found',
    '--timeout=180s',
  ]);
}

/**
 * Installs with the commands in a checkout's docs/kubernetes.md; `change` may change each of them. Returns the seconds
 * from `helm install` until everything is ready.
 */
async function install(checkout: string, change = (command: string) => command): Promise<number> {
  let [began, seconds] = [0, 0];
  for (const command of commandsOf(checkout, 'docs/kubernetes.md', 'Install it in five commands')) {
    if (command.startsWith('helm install')) began = performance.now();
    await shell(change(command), checkout);
    if (command.startsWith('kubectl wait')) seconds = (performance.now() - began) / 1_000;
    if (command.startsWith('kubectl create namespace')) {
      await run('kubectl', [
        'label',
        'namespace',
        namespace,
        'pod-security.kubernetes.io/enforce=restricted',
      ]);
    }
  }
  return seconds;
}

const imageOfRequests = (): Promise<string> =>
  kubectl('get', 'deployment/expert-relay-requests', '--output=jsonpath={..image}');

/** Sets a short lifetime of conversations, and trusts x-forwarded-for from the pod of the load. */
async function prepareLoad(checkout: string, ...more: string[]): Promise<void> {
  const image = await imageOfRequests();
  const address = await openLoadPod(image);
  const settings = {
    publicUrl: gatewayUrl,
    'hub.publicUrl': hubUrl,
    trustedProxies: `{${address}/32}`,
    'settings.RELAY_CONVERSATION_TTL': '8s',
    'settings.RELAY_HUB_HEARTBEAT': '1s',
    'settings.RELAY_HUB_RETRY': '300ms',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
  await upgrade(checkout, ...options, ...more);
}

async function upgrade(checkout: string, ...options: string[]): Promise<void> {
  const [command] = commandsOf(root, 'docs/kubernetes.md', 'Upgrades');
  await shell([command, ...options.map((option) => `'${option}'`)].join(' '), checkout);
  await waitForRollouts();
}

const replicasOf = async (name: string): Promise<number> =>
  Number(await kubectl('get', `deployment/expert-relay-${name}`, '--output=jsonpath={.spec.replicas}'));

/** Waits until a rollout is complete and the replaced pods have ended. */
async function waitForRollout(name: string): Promise<void> {
  await kubectl('rollout', 'status', `deployment/expert-relay-${name}`, '--timeout=180s');
  const replicas = await replicasOf(name);
  const isComplete = async () => (await podsOf(name)).length === replicas;
  await eventually(`${name} has ${replicas} pods`, isComplete, { timeoutMs: 120_000 });
}

async function waitForRollouts(): Promise<void> {
  for (const name of names) await waitForRollout(name);
}

const podsOfServices = async (): Promise<string[]> => (await Promise.all(names.map(podsOf))).flat();

async function scaleHub(replicas: number): Promise<void> {
  await kubectl('scale', 'deployment/expert-relay-hub', `--replicas=${replicas}`);
  await waitForRollout('hub');
}

async function countRestarts(...pods: readonly string[]): Promise<number> {
  const which = pods.length > 0 ? pods : ['pods'];
  const counts = await kubectl('get', ...which, '--output=jsonpath={..restartCount}');
  return counts.split(' ').reduce((sum, count) => sum + Number(count), 0);
}

/** A pod counts as ready until its node has noticed that the container has ended. */
async function killAndAwait(pods: readonly string[]): Promise<void> {
  const before = await countRestarts(...pods);
  await killContainers(pods);
  await eventually(
    'all containers start again',
    async () => (await countRestarts(...pods)) >= before + pods.length,
    { timeoutMs: 120_000 },
  );
  await kubectl('wait', ...pods, '--for=condition=Ready', '--timeout=120s');
}

/** Renders each case of the chart and sends it to the API server. Returns the number of accepted objects by kind. */
async function countAcceptedObjects(): Promise<string> {
  const known = await run('kubectl', ['api-resources', '--no-headers']);
  const kinds = new Set(known.split('\n').map((resource) => resource.split(/\s+/).at(-1)));
  const counts = new Map<string, number>();
  for (const file of readdirSync(join(chart, 'ci'))) {
    const options = [
      '--namespace',
      namespace,
      '--kube-version',
      '1.34.0',
      '--set',
      'priorityClassName=',
      '--values',
      join(chart, 'ci', file),
    ];
    const text = await run('helm', ['template', 'accepted', chart, ...options]);
    const objects = parseAllDocuments(text).map((document) => document.toJSON());
    const here = objects.filter((object) => kinds.has(object?.kind));
    // A pod is only accepted if its service account exists.
    const accounts = here.filter(({ kind }) => kind === 'ServiceAccount');
    if (accounts.length > 0) await apply(accounts, '--namespace', namespace);
    await apply(here, '--dry-run=server', '--namespace', namespace);
    for (const { kind } of here) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ');
}

async function expectPassed(outcome: Outcome): Promise<void> {
  outcomes.push(outcome);
  process.stderr.write(`${JSON.stringify(outcome)}\n`);
  expect(outcome.failures).toEqual([]);
  expect(outcome.expected).toBeGreaterThan(0);
  expect(await countRestarts()).toBeLessThanOrEqual(restarts);
}

describe('on a cluster', () => {
  withCluster('the commands in docs/kubernetes.md install it, and helm test passes', async () => {
    await remove();
    const seconds = await install(root);
    note(
      `From \`helm install\` to everything ready: ${seconds.toFixed(0)} s, with the images on the node. \`helm test\` passed.`,
    );
    await prepareLoad(root, '--set', 'services.notifier.replicas=2');
    restarts = await countRestarts();
  });

  withCluster('pods can connect only to what they need', async () => {
    const { allowed, refused, failures } = await tryPolicies();
    expect(failures).toEqual([]);
    note(
      `Network policies, tried from a pod of each service and from outside: ${allowed} connections allowed, ${refused} refused, each as it should be.`,
    );
  });

  withCluster.each(names)('a rollout of %s: no call fails, nothing is lost', async (name) => {
    const roll = async () => {
      await kubectl('rollout', 'restart', `deployment/expert-relay-${name}`);
      await waitForRollout(name);
    };
    await expectPassed(await underLoad(`${name} rolled, 2 pods`, roll));
  });

  withCluster.each(names)('each pod of %s is deleted: no call fails, nothing is lost', async (name) => {
    const deleteAll = async () => {
      for (const pod of await podsOf(name)) {
        await kubectl('delete', pod);
        await waitForRollout(name);
      }
    };
    await expectPassed(await underLoad(`each of 2 pods of ${name} deleted`, deleteAll));
  });

  withCluster('nodes are drained: no call fails, nothing is lost', async () => {
    const drain = async () => {
      await drainNodes();
      await waitForRollouts();
    };
    await expectPassed(await underLoad('all nodes drained, one after the other', drain));
  });

  withCluster('containers are killed: calls are repeated, and nothing is lost', async () => {
    await openKiller(await imageOfRequests());
    const killEach = async () => {
      for (const pod of await podsOfServices()) await killAndAwait([pod]);
      restarts = await countRestarts();
    };
    const killAll = async () => {
      await killAndAwait(await podsOfServices());
      restarts = await countRestarts();
    };
    await expectPassed(
      await underLoad('SIGKILL of each container of services', killEach, { mayBreak: true }),
    );
    // A container that ends a second time starts again only after ten seconds.
    await kubectl('rollout', 'restart', ...names.map((name) => `deployment/expert-relay-${name}`));
    await waitForRollouts();
    await expectPassed(await underLoad('SIGKILL of all containers of services', killAll, { mayBreak: true }));
  });

  withCluster('the hub is scaled while it has readers', async () => {
    await scaleHub(1);
    const scale = async () => {
      await scaleHub(3);
      await scaleHub(1);
    };
    await expectPassed(await underLoad('hub scaled 1 → 3 → 1', scale));
    await scaleHub(2);
  });

  withCluster.each(servers)('%s is killed: 503 with Retry-After, and everything recovers', async (name) => {
    const kill = async () => {
      await kubectl('delete', `pod/expert-relay-${name}-0`, '--grace-period=1');
      await kubectl('rollout', 'status', `statefulset/expert-relay-${name}`, '--timeout=180s');
      await waitForRollouts();
    };
    await expectPassed(await underLoad(`${name} killed`, kill, { mayRefuse: true }));
  });

  withCluster('an autoscaler that replaces a fixed number of pods removes none', async () => {
    await scaleHub(3);
    await upgrade(root, '--set', 'services.hub.autoscaling.enabled=true');
    expect(await replicasOf('hub')).toBe(3);
    await upgrade(root, '--set', 'services.hub.autoscaling.enabled=false');
    expect(await replicasOf('hub')).toBe(2);
  });

  withCluster('two releases share a namespace', async () => {
    // A node with two cores has room for both.
    const small = names.map((name) => `--set services.${name}.resources.requests.cpu=10m`);
    await install(root, (command) =>
      command.startsWith('kubectl create namespace')
        ? 'true'
        : command
            .replaceAll('relay-secrets', 'second-secrets')
            .replace(/^(helm \w+|node.* --trial) expert-relay/, '$1 second')
            .replace(/^helm install second/, `$& ${small.join(' ')}`),
    );
    await kubectl('wait', '--for=condition=Available', '--timeout=120s', 'deployment', '--all');
    await expectPassed(
      await underLoad('another release in the namespace removed', () =>
        shell(`helm uninstall second --namespace ${namespace} --wait`),
      ),
    );
    await shell(`helm test expert-relay --namespace ${namespace}`);
    note('Two releases in one namespace: `helm test` of both passed.');
  });

  withCluster('a backup is restored by the commands in docs/backup.md', async () => {
    const { saved, restored } = await restoreBackup();
    expect(restored).toBe(saved);
    await waitForRollouts();
    restarts = await countRestarts();
    await expectPassed(await underLoad('after a backup was restored', async () => {}));
    await remove();
  });

  withCluster('manifests are applied before their Secret exists, and again with other values', async () => {
    await remove();
    const folder = mkdtempSync(join(tmpdir(), 'relay-gitops-'));
    // A helm that was built from its source takes an old version of Kubernetes for the cluster's.
    const [command = '', withApplySet = ''] = [0, 1].map((at) =>
      String(commandsOf(root, 'docs/gitops.md', 'With GitOps', at)[0]).replace(
        '--skip-tests',
        '$& --kube-version 1.34.0',
      ),
    );
    const [createNamespace = '', createSecret = ''] = commandsOf(
      root,
      'docs/kubernetes.md',
      'Install it in five commands',
    );
    const trial = { trial: { enabled: true } };
    const servers = { postgres: trial, redis: trial, nats: trial };
    const common = { publicUrl: gatewayUrl, hub: { publicUrl: hubUrl }, ...servers };
    const applyValues = (values: object, { end = '', by = command } = {}) => {
      const file = join(folder, 'values.yaml');
      const secrets = { existing: 'relay-secrets' };
      writeFileSync(file, JSON.stringify({ ...common, secrets, ...values }));
      return shell(`${by.replace('values.yaml', file)}${end}`);
    };
    try {
      await shell(createNamespace);
      await applyValues({});
      await pause(70_000);
      const began = performance.now();
      await shell(createSecret);
      const ready = ['deployment', '--all', '--for=condition=Available', '--timeout=180s'];
      await kubectl('wait', ...ready);
      await kubectl('wait', 'job', '--all', '--for=condition=Complete', '--timeout=60s');
      const seconds = (performance.now() - began) / 1_000;
      const attempts = await kubectl('get', 'jobs', '--output=jsonpath={.items[*].status.failed}');
      note(
        `A Secret that came 70 s after the manifests (\`helm template | kubectl apply\`): everything was ready ${seconds.toFixed(0)} s later; failed attempts of the migration: ${attempts || 0}.`,
      );
      const changed = { startPatienceSeconds: 50, podLabels: { team: 'support' } };
      await applyValues(changed);
      await waitForRollouts();
      await kubectl('wait', 'job', '--all', '--for=condition=Complete', '--timeout=60s');
      // kubectl always patches the selector of a budget, which replaces an equal one.
      const repeated = (await applyValues(changed)).trim().split('\n');
      expect(repeated.filter((line) => !/ unchanged$|^poddisruptionbudget/.test(line))).toEqual([]);
      // A tool that applies on the server may take over from one that does not.
      await applyValues(changed, { end: ' --server-side --dry-run=server' });
      for (const other of [
        { image: { registry: 'registry.example.com/relay' } },
        { secrets: { existing: 'other' } },
        { nodeSelector: { disk: 'fast' } },
      ]) {
        await applyValues({ ...changed, ...other }, { end: ' --dry-run=server' });
      }
      const autoscaling = { services: { gateway: { autoscaling: { enabled: true } } } };
      await applyValues({ ...changed, ...autoscaling }, { by: withApplySet });
      const autoscalers = () => kubectl('get', 'hpa', '--output=name');
      expect(await autoscalers()).toContain('expert-relay-gateway');
      await applyValues(changed, { by: withApplySet });
      expect(await autoscalers()).toBe('');
      note('With an ApplySet, an autoscaler that was switched off was removed.');
      note(
        'The same manifests once more changed nothing. With another `startPatienceSeconds`, `podLabels`, `image.registry`, `secrets.existing` and `nodeSelector` were accepted (the last three by `--dry-run=server`).',
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  withCluster('external servers with TLS and their own certificate authority', async () => {
    await remove();
    const { addresses, authority } = await openTlsServers();
    await install(root, (command) =>
      command
        .replace(
          'create namespace relay',
          `$& && kubectl create secret generic relay-ca -n relay --from-literal=ca.crt='${authority}'`,
        )
        .replace(/^node (\S+) --trial expert-relay/, `${addresses} node $1`)
        .replace(/ --set \w+\.trial\.enabled=true/g, '')
        .replace(/^helm install /, '$&--set tls.caSecret=relay-ca '),
    );
    note(
      'With external servers that accept only TLS (`verify-full`, `rediss://`, `tls://`, `tls.caSecret`): `helm test` passed.',
    );
  });

  withCluster('the API server accepts every case of ci/', async () => {
    const accepted = await countAcceptedObjects();
    note(`Objects of all \`ci/\` cases that the API server accepted (\`--dry-run=server\`): ${accepted}.`);
  });

  withCluster('an upgrade from the older commit, and the way back, fail no call', async () => {
    const checkout = mkdtempSync(join(tmpdir(), 'relay-older-'));
    try {
      await shell(`git archive '${older}' charts docs | tar --extract --directory '${checkout}'`);
      await remove();
      await install(checkout, (command) => command.replace(/^helm install /, '$&--set image.tag=previous '));
      await prepareLoad(checkout);
      restarts = await countRestarts();
      const commit = (await shell(`git rev-parse --short=12 '${older}'`)).trim();
      await expectPassed(
        await underLoad(`upgraded from ${commit}, all services at once`, () =>
          upgrade(root, '--set', 'image.tag='),
        ),
      );
      const goBack = async () => {
        await shell(`helm rollback expert-relay --namespace ${namespace}`);
        await waitForRollouts();
      };
      await expectPassed(await underLoad(`rolled back to ${commit}, all services at once`, goBack));
    } finally {
      rmSync(checkout, { recursive: true });
    }
  });

  withCluster('the record is written', async () => {
    expect(outcomes).toHaveLength(2 * names.length + servers.length + 8);
    await writeRecord(facts, outcomes);
    await remove();
  });
});
