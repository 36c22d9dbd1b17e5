import { spawn } from 'node:child_process';
import { root } from '../../scripts/local/home.ts';

export const namespace = 'relay';

/** Runs a program and returns its output. An error contains all of its output. */
export function run(
  program: string,
  args: readonly string[],
  options: { cwd?: string; input?: string } = {},
) {
  const { cwd = root, input = '' } = options;
  return new Promise<string>((resolve, reject) => {
    const child = spawn(program, args, { cwd });
    let [output, errors] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      errors += text;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${program} ${args.join(' ')} ended with ${code}:\n${output}${errors}`));
    });
    // A program may end without reading its input.
    child.stdin.once('error', () => {});
    child.stdin.end(input);
  });
}

/** Runs a command line, which may contain pipes. */
export const shell = (command: string, cwd = root): Promise<string> =>
  run('bash', ['-euo', 'pipefail', '-c', command], { cwd });

export const kubectl = (...args: string[]): Promise<string> =>
  run('kubectl', ['--namespace', namespace, ...args]);

export const apply = (manifests: readonly object[], ...options: string[]): Promise<string> =>
  run('kubectl', ['apply', '--filename', '-', ...options], {
    input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests }),
  });

export async function secretOf(key: string): Promise<string> {
  const encoded = await kubectl('get', 'secret', 'relay-secrets', `--output=jsonpath={.data.${key}}`);
  return Buffer.from(encoded, 'base64').toString();
}

const select = (component: string): string =>
  `--selector=app.kubernetes.io/instance=expert-relay,app.kubernetes.io/component=${component}`;

/** The names of a component's pods, including those that are stopping. */
export async function podsOf(component: string): Promise<string[]> {
  const names = await kubectl('get', 'pods', select(component), '--output=name');
  return names.split('\n').filter((name) => name !== '');
}
