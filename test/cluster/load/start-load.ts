import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { build } from 'esbuild';
import { root } from '../../../scripts/local/home.ts';
import { apply, namespace, run } from '../shell.ts';
import type { LoadReport, LoadSettings } from './program.ts';

/** A namespace that the chart does not know, for calls from outside. */
export const outside = 'relay-outside';
const pod = 'outside';
export const gatewayUrl = `http://expert-relay-gateway.${namespace}.svc:8080`;
export const hubUrl = `http://expert-relay-hub.${namespace}.svc:8083`;

/** Runs a program in the pod outside the relay. */
export const execOutside = (...command: string[]): Promise<string> =>
  run('kubectl', ['exec', '--namespace', outside, pod, '--', ...command]);

/** Starts a pod that contains the load program and does not run it yet. Returns its address. */
export async function openLoadPod(image: string): Promise<string> {
  const metadata = { name: pod, namespace: outside };
  const restricted = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
  const container = {
    name: 'load',
    image,
    args: ['-e', 'setInterval(() => {}, 1e9)'],
    securityContext: restricted,
    volumeMounts: [{ name: 'program', mountPath: '/load' }],
  };
  await apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: outside } },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'program.mjs': await bundle() } },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata,
      spec: {
        automountServiceAccountToken: false,
        terminationGracePeriodSeconds: 0,
        securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
        containers: [container],
        volumes: [{ name: 'program', configMap: { name: pod } }],
      },
    },
  ]);
  const at = ['--namespace', outside, `pod/${pod}`];
  await run('kubectl', ['wait', ...at, '--for=condition=Ready', '--timeout=60s']);
  return run('kubectl', ['get', ...at, '--output=jsonpath={.status.podIP}']);
}

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['test/cluster/load/program.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    conditions: ['relay-source'],
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

export interface Load {
  /** Starts no more conversations, and waits for the end of the others. */
  finish(): Promise<void>;
  /** Waits until readers have received every end, and returns what all clients received. */
  report(): Promise<LoadReport>;
  stop(): void;
}

/** Starts about 40 calls a second and 50 streams; resolves when they run. */
export async function startLoad(settings: Omit<LoadSettings, 'gatewayUrl' | 'hubUrl'>): Promise<Load> {
  const args = ['exec', '--stdin', '--namespace', outside, pod, '--', 'node', '/load/program.mjs'];
  const program = spawn('kubectl', args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let errors = '';
  program.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const lines = createInterface(program.stdout)[Symbol.asyncIterator]();
  async function send(line: string): Promise<string> {
    program.stdin.write(`${line}\n`);
    const { value, done } = await lines.next();
    if (!done) return value;
    if (program.exitCode === null) await once(program, 'close');
    throw new Error(`The load program has ended:\n${errors}`);
  }

  await send(JSON.stringify({ ...settings, gatewayUrl, hubUrl }));
  return {
    finish: async () => void (await send('finish')),
    report: async () => JSON.parse(await send('report')) as LoadReport,
    // The program ends with its standard input.
    stop: () => void program.kill(),
  };
}
