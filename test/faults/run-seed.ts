import type { Run } from '../../scripts/local/with-run.ts';
import type { SeedResult } from './checks/seed-result.ts';
import { abortedResult } from './checks/seed-result.ts';
import { openEnvironment } from './environment/environment.ts';
import { makePlan, type Plan } from './plan/make-plan.ts';
import { runAndKeepLogs } from './run-and-keep-logs.ts';
import { runPlan } from './run-plan.ts';

/** Runs one seed in a new environment; `undefined` if it was interrupted. */
export async function runSeed(
  seed: number,
  progress: (text: string) => void = () => {},
): Promise<SeedResult | undefined> {
  const plan = makePlan(seed);
  const began = performance.now();
  return runAndKeepLogs(`faults-${seed}`, (run) =>
    runInEnvironment(plan, run, progress, began).catch((error: Error) => abortedResult(plan, error)),
  );
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
