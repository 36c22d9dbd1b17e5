import { appendFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openHome } from '../../scripts/local/home.ts';
import { type Run, withRun } from '../../scripts/local/with-run.ts';
import { createTerminal } from '../../scripts/terminal/terminal.ts';
import type { SeedResult } from './checks/seed-result.ts';
import { abortedResult } from './checks/seed-result.ts';
import { openEnvironment } from './environment/environment.ts';
import { makePlan, type Plan } from './plan/make-plan.ts';
import { runPlan } from './run-plan.ts';

/** Runs one seed in a new environment; `undefined` if it was interrupted. The logs of a failed seed are kept. */
export async function runSeed(
  seed: number,
  progress: (text: string) => void = () => {},
): Promise<SeedResult | undefined> {
  const plan = makePlan(seed);
  const home = openHome(mkdtempSync(join(tmpdir(), `expert-relay-faults-${seed}-`)));
  // Processes end and start all the time here, so the messages about them go into a log.
  const log = home.log('harness');
  const write = (text: string | Uint8Array) => {
    appendFileSync(log, text);
    return true;
  };
  try {
    const began = performance.now();
    const result = await withRun(
      { home, terminal: createTerminal({ write }, {}), remove: [home.path] },
      (run) =>
        runInEnvironment(plan, run, progress, began).catch((error: Error) => abortedResult(plan, error)),
    );
    if (!result || result.failures.length === 0) return result;
    return { ...result, remarks: [...result.remarks, `logs in ${keepLogs(home.file('logs'), seed)}`] };
  } finally {
    rmSync(home.path, { recursive: true, force: true });
  }
}

async function runInEnvironment(
  plan: Plan,
  run: Run,
  progress: (text: string) => void,
  began: number,
): Promise<SeedResult> {
  progress('starting');
  const environment = await openEnvironment(run, plan.environment);
  try {
    progress(plan.faults.map(({ title }) => title).join(' + '));
    return await runPlan(plan, environment, began);
  } finally {
    await environment.close();
  }
}

function keepLogs(logs: string, seed: number): string {
  const kept = join(mkdtempSync(join(tmpdir(), `expert-relay-faults-failed-${seed}-`)), 'logs');
  renameSync(logs, kept);
  return kept;
}
