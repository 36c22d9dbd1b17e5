import { eventually } from '@expert-relay/testkit';
import { kubectl, run } from './shell.ts';

const ofServices =
  'app.kubernetes.io/name=expert-relay,app.kubernetes.io/component notin (postgres,redis,nats,migrate,test)';

/**
 * Drains one node after the other, except for trial servers. A node accepts pods again while it is drained: where there is
 * only one, they have no other.
 */
export async function drainNodes(): Promise<void> {
  const nodes = await kubectl('get', 'pods', `--selector=${ofServices}`, '--output=jsonpath={..nodeName}');
  for (const node of new Set(nodes.split(/\s+/))) {
    const drained = run('kubectl', [
      'drain',
      node,
      '--ignore-daemonsets',
      `--pod-selector=${ofServices}`,
      '--timeout=300s',
    ]);
    const isClosed = async () =>
      (await run('kubectl', ['get', 'node', node, '--output=jsonpath={.spec.unschedulable}'])) === 'true';
    try {
      await Promise.race([drained, eventually(`${node} accepts no pods`, isClosed, { timeoutMs: 60_000 })]);
    } finally {
      await run('kubectl', ['uncordon', node]);
    }
    await drained;
  }
}
