import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startConstellation } from '@expert-relay/constellation';
import { expect } from '@jest/globals';
import { runCommand } from '../../scripts/processes/run-command.ts';
import { findPythonWithPackages } from '../../scripts/python/find-python.ts';
import { whyMissing } from '../../scripts/servers/find-tool.ts';
import { testUnless } from '../../scripts/testing/test-unless.ts';
import { pythonRequirements } from '../tools.ts';
import { callerEnv, expectedCalls } from './expected-calls.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const python = await findPythonWithPackages(pythonRequirements);

testUnless(whyMissing(python))(
  'openapi-python-client makes a client without a warning, and its calls work',
  async () => {
    if ('program' in python) await generateAndCall(python.program);
  },
  600_000,
);

async function generateAndCall(program: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'relay-python-client-'));
  const relay = await startConstellation();
  const run = (args: readonly string[], failure: string, env: NodeJS.ProcessEnv = {}): Promise<string> => {
    // The generator formats with ruff, which is beside Python.
    const PATH = `${dirname(program)}:${process.env.PATH}`;
    return runCommand({ command: program, args, cwd: folder, env: { PATH, ...env }, failure });
  };
  try {
    const document = here('../../docs/openapi.yaml');
    const output = await run(
      [
        '-m',
        'openapi_python_client',
        'generate',
        '--path',
        document,
        '--output-path',
        'relay',
        '--meta',
        'none',
      ],
      'openapi-python-client failed.',
    );
    expect(output.trim()).toBe('Generating relay');

    cpSync(here('programs/calls.py'), join(folder, 'calls.py'));
    const printed = await run(['-W', 'error', 'calls.py'], 'A call failed.', await callerEnv(relay));
    expect(JSON.parse(printed)).toEqual(expectedCalls);
  } finally {
    await relay.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
