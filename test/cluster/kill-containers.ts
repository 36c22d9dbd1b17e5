import { outside } from './load/start-load.ts';
import { apply, kubectl, run } from './shell.ts';

const pod = 'killer';

/** In a pod that sees the processes of its node: a container's first process ignores SIGKILL from within. */
const program = `
const { readdirSync, readFileSync } = require('node:fs');
const ids = process.argv.slice(1);
const cgroupOf = (pid) => { try { return readFileSync('/proc/' + pid + '/cgroup', 'utf8'); } catch { return ''; } };
const found = readdirSync('/proc').filter((pid) => /^\\d+$/.test(pid))
  .filter((pid) => { const cgroup = cgroupOf(pid); return ids.some((id) => cgroup.includes(id)); });
for (const pid of found) process.kill(Number(pid), 'SIGKILL');
console.log(found.length);`;

/** Starts the pod that kills containers on its node. It has the image of a service, for its Node. */
export async function openKiller(image: string): Promise<void> {
  const container = {
    name: 'killer',
    image,
    args: ['-e', 'setInterval(() => {}, 1e9)'],
    securityContext: { runAsUser: 0, runAsGroup: 0 },
  };
  await apply([
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: pod, namespace: outside },
      spec: {
        automountServiceAccountToken: false,
        terminationGracePeriodSeconds: 0,
        hostPID: true,
        containers: [container],
      },
    },
  ]);
  await run('kubectl', [
    'wait',
    '--namespace',
    outside,
    `pod/${pod}`,
    '--for=condition=Ready',
    '--timeout=60s',
  ]);
}

/** Sends SIGKILL to all processes of pods' containers at once. */
export async function killContainers(pods: readonly string[]): Promise<void> {
  const output = await kubectl('get', ...pods, '--output=jsonpath={..containerID}');
  const ids = output.split(/\s+/).map((id) => id.replace(/^\w+:\/\//, ''));
  const command = ['exec', '--namespace', outside, pod, '--', 'node', '-e', program, ...ids];
  const killed = Number(await run('kubectl', command));
  if (killed < pods.length) throw new Error(`${killed} processes of ${pods.length} pods were found.`);
}
