import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type ServiceName, serviceNames as services } from '../../scripts/local/services.ts';
import type { FoundProgram } from '../../scripts/servers/server-kind.ts';
import type { Product } from './run-product.ts';
import { migrate } from './run-programs.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = ['docs/backup.md', 'docs/rotating-secrets.md'].map((page) =>
  readFileSync(join(root, page), 'utf8'),
);

/** The blocks of shell commands under a heading of docs/backup.md or docs/rotating-secrets.md. */
export function commandsOf(heading: string): string[] {
  const sections = pages.flatMap((page) => page.split(/^#+ /m));
  const section = sections.find((one) => one.startsWith(`${heading}\n`));
  const blocks = [...(section ?? '').matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  if (blocks.length === 0) throw new Error(`docs/ has no commands under "${heading}".`);
  return blocks;
}

export interface Shell extends AsyncDisposable {
  /** Runs commands of the page in the checkout. The functions that the page defines are available. */
  run(commands: string, env?: Record<string, string>): Promise<string>;
}

/**
 * A shell with its own `kubectl` and `helm`, which read and change `secret`, and replace the processes of `product`. They
 * support the commands of the page, and fail for all others. `programs` are those of the servers, which PATH may lack.
 */
export async function openShell(
  product: Product,
  secret: Record<string, string>,
  programs: readonly FoundProgram[],
): Promise<Shell> {
  const functions = [...commandsOf('Rotating secrets'), commandsOf('Keys of the relay')[0]].join('\n');
  const folder = mkdtempSync(join(tmpdir(), 'relay-page-'));

  async function kubectl(args: string, input: string): Promise<string> {
    const replaceSecret = (values: Record<string, string>) => {
      for (const name of Object.keys(secret)) delete secret[name];
      Object.assign(secret, values);
    };
    const key = /^get secret relay-secrets --namespace relay --output jsonpath=\{\.data\.(\w+)\}$/.exec(
      args,
    )?.[1];
    if (key) return Buffer.from(secret[key] ?? '').toString('base64');
    const rollout = /^rollout restart --namespace relay deployment\/expert-relay-([a-z-]+)$/.exec(args);
    // JSON is YAML, too.
    if (/^get secret relay-secrets --namespace relay --output (json|yaml)$/.test(args)) {
      return JSON.stringify({
        kind: 'Secret',
        data: mapValues(secret, (value) => Buffer.from(value).toString('base64')),
      });
    }
    if (args === 'replace --filename -') {
      replaceSecret(mapValues(JSON.parse(input).data, (value) => Buffer.from(value, 'base64').toString()));
    } else if (args.startsWith('patch secret relay-secrets --namespace relay --patch ')) {
      replaceSecret({ ...secret, ...JSON.parse(args.slice(args.indexOf('{'))).stringData });
    } else if (args.startsWith('scale --namespace relay --replicas=0 ')) {
      for (const [, service = ''] of args.matchAll(/deployment\/expert-relay-([a-z-]+)/g)) {
        await product.end(service as ServiceName);
      }
    } else if (
      args === 'upgrade expert-relay charts/expert-relay --namespace relay --reset-then-reuse-values'
    ) {
      await migrate(secret.DATABASE_URL ?? '');
      for (const service of services) await product.roll(service);
    } else if (rollout) {
      await product.roll(rollout[1] as ServiceName);
    } else if (!waits.test(args)) {
      throw new Error(`This test's kubectl does not support: ${args}`);
    }
    return '';
  }

  const server = createServer(async (request, response) => {
    const { args, input } = JSON.parse(await text(request)) as { args: string; input: string };
    await kubectl(args, input).then(
      (output) => response.end(output),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  for (const program of ['kubectl', 'helm']) {
    writeFileSync(join(folder, program), fakeProgram(port), { mode: 0o755 });
  }
  for (const { path, env = {} } of programs) {
    const variables = Object.entries(env).map(([name, value]) => `${name}='${value}' `);
    const text = `#!/bin/sh\n${variables.join('')}exec '${path}' "$@"\n`;
    writeFileSync(join(folder, basename(path)), text, { mode: 0o755 });
  }

  return {
    async run(commands, env = {}) {
      const path = `${folder}:${process.env.PATH}`;
      const script = `set -o errexit -o pipefail -o nounset\n${functions}\n${commands}`;
      const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script], {
        cwd: root,
        env: { ...env, PATH: path, HOME: folder },
      });
      return `${stdout}${stderr}`;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Here, services have ended or are ready when the command before has ended. */
const waits =
  /^(rollout status --namespace relay --timeout=5m deployment\/expert-relay-|wait --namespace relay --for=delete )/;

const mapValues = (values: Record<string, string>, change: (value: string) => string) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));

const fakeProgram = (port: number) => `#!/usr/bin/env node
const args = process.argv.slice(2).join(' ');
let input = '';
if (args.endsWith(' -')) for await (const part of process.stdin) input += part;
const response = await fetch('http://127.0.0.1:${port}', { method: 'POST', body: JSON.stringify({ args, input }) });
(response.ok ? process.stdout : process.stderr).write(await response.text());
process.exitCode = response.ok ? 0 : 1;
`;
