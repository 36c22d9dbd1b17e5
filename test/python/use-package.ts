import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, beforeAll } from '@jest/globals';
import { root } from '../../scripts/local/home.ts';
import { runCommand } from '../../scripts/processes/run-command.ts';
import { buildPythonPackage, pythonClient } from '../../scripts/python/build-package.ts';
import type { Python } from '../../scripts/python/find-python.ts';
import { StepError } from '../../scripts/terminal/failure.ts';
import { serveRelay } from './serve-relay.ts';

/** Jest shows only the message of an error. */
function withOutput(error: unknown): never {
  throw error instanceof StepError ? new Error([error.message, ...error.output].join('\n')) : error;
}

/** clients/python as its users have it, built and installed into a folder, with a relay for its tests. Without a Python it does nothing. */
export function usePackage(python: Python) {
  const program = 'program' in python ? python.program : undefined;
  let folder = '';
  let served: Awaited<ReturnType<typeof serveRelay>> | undefined;

  async function run(args: readonly string[]): Promise<string> {
    const failure = `python ${args[1]} failed.`;
    return await runCommand({
      command: program ?? '',
      args,
      cwd: pythonClient,
      timeout: 600_000,
      failure,
    }).catch(withOutput);
  }

  beforeAll(async () => {
    if (program === undefined) return;
    folder = mkdtempSync(join(tmpdir(), 'relay-python-'));
    const names = await buildPythonPackage(program, join(folder, 'dist'));
    const wheel = join(folder, 'dist', names.find((name) => name.endsWith('.whl')) ?? '');
    await run(['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', join(folder, 'installed'), wheel]);
    for (const name of ['tests', 'examples'])
      cpSync(join(pythonClient, name), join(folder, name), { recursive: true });
    writeFileSync(join(folder, 'authority.pem'), rootCertificates[0] ?? '');
    served = await serveRelay();
  });
  afterAll(async () => {
    await served?.stop();
    if (folder) rmSync(folder, { recursive: true });
  });

  return {
    /** The other type checker, over the whole package: it needs the frameworks of the adapters. */
    pyright: () =>
      runCommand({
        command: process.execPath,
        args: [join(root, 'node_modules/pyright/index.js'), '-p', '.', '--pythonpath', program ?? ''],
        cwd: pythonClient,
        timeout: 600_000,
        failure: 'pyright failed.',
      }).catch(withOutput),
    mypy: (...args: readonly string[]) => run(['-m', 'mypy', '--cache-dir', join(folder, 'mypy'), ...args]),
    /** With further variables, and with packages in place of those of the Python. */
    pytest(
      args: readonly string[],
      { env = {}, over = '' }: { env?: Readonly<Record<string, string>>; over?: string } = {},
    ): Promise<{ code: number | null; output: string }> {
      const child = spawn(program ?? '', ['-m', 'pytest', '-q', '--tb=short', ...args], {
        cwd: folder,
        env: {
          ...process.env,
          ...env,
          PYTHONPATH: [join(folder, 'installed'), over].filter(Boolean).join(':'),
          // No test calls by TLS, and reading the certificates of all authorities takes longer than most tests.
          SSL_CERT_FILE: join(folder, 'authority.pem'),
          RELAY_REPOSITORY: root,
          PYTHON_TEST_CONTROL: served?.url,
        },
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text;
        });
      }
      return new Promise((resolve) => {
        child.on('close', (code) => resolve({ code, output }));
      });
    },
  };
}
