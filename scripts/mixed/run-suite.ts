import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Run } from '../local/with-run.ts';
import { identify } from '../processes/process-identity.ts';
import { StepError } from '../terminal/failure.ts';

/** One test of the conformance suite. */
export interface Result {
  readonly name: string;
  readonly passed: boolean;
  readonly message: string;
}

/** Runs the conformance suite of the checkout in `folder` against a relay that runs already. */
export async function runSuite(
  run: Run,
  folder: string,
  env: Record<string, string>,
): Promise<readonly Result[]> {
  const file = run.home.file('conformance.json');
  const jest = spawn(
    process.execPath,
    [join(folder, 'node_modules/jest/bin/jest.js'), 'test/conformance', '--json', `--outputFile=${file}`],
    {
      cwd: folder,
      env: {
        ...process.env,
        ...env,
        NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
      },
      stdio: 'ignore',
    },
  );
  const identity = jest.pid && identify(jest.pid);
  if (jest.pid && identity)
    run.adopt({ name: 'jest', tier: 4, stopSignal: 'SIGTERM', pid: jest.pid, identity });
  await once(jest, 'exit');
  return readResults(file);
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      fullName: string;
      status: string;
      failureMessages: readonly string[];
    }[];
  }[];
}

function readResults(file: string): readonly Result[] {
  const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as Report;
  const results = testResults.flatMap(({ name, message, assertionResults }) =>
    assertionResults.length === 0
      ? [{ name, passed: false, message }]
      : assertionResults.map(({ fullName, status, failureMessages }) => ({
          name: fullName,
          passed: status !== 'failed',
          message: failureMessages.join('\n'),
        })),
  );
  if (results.length === 0) throw new StepError('No conformance test ran.');
  return results;
}
