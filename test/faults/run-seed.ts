import { appendFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openHome } from '../../scripts/local/home.ts';
import { type Run, withRun } from '../../scripts/local/with-run.ts';
import { createTerminal } from '../../scripts/terminal/terminal.ts';
import { makePlan, type Plan } from './plan/make-plan.ts';
import { playPlan } from './play-plan.ts';
import { openStage } from './stage/open-stage.ts';
import { brokenOff } from './verdict/broken-off.ts';
import type { Verdict } from './verdict/verdict.ts';

/** One seed from nothing to a verdict; `undefined` when it was interrupted. Logs of a failure are kept. */
export async function runSeed(
  seed: number,
  say: (text: string) => void = () => {},
): Promise<Verdict | undefined> {
  const plan = makePlan(seed);
  const home = openHome(mkdtempSync(join(tmpdir(), `expert-relay-faults-${seed}-`)));
  // What is lost and comes back is what the seed is about: it goes into a log.
  const log = home.log('harness');
  const write = (text: string | Uint8Array) => {
    appendFileSync(log, text);
    return true;
  };
  try {
    const began = performance.now();
    const verdict = await withRun(
      { home, terminal: createTerminal({ write }, {}), remove: [home.path] },
      (run) => play(plan, run, say, began).catch((error: Error) => brokenOff(plan, error)),
    );
    if (!verdict || verdict.failures.length === 0) return verdict;
    return { ...verdict, remarks: [...verdict.remarks, `logs in ${keep(home.file('logs'), seed)}`] };
  } finally {
    rmSync(home.path, { recursive: true, force: true });
  }
}

async function play(plan: Plan, run: Run, say: (text: string) => void, began: number): Promise<Verdict> {
  say('starting');
  const stage = await openStage(run, plan.stage);
  try {
    say(plan.faults.map(({ title }) => title).join(' + '));
    return await playPlan(plan, stage, began);
  } finally {
    await stage.close();
  }
}

function keep(logs: string, seed: number): string {
  const kept = join(mkdtempSync(join(tmpdir(), `expert-relay-faults-failed-${seed}-`)), 'logs');
  renameSync(logs, kept);
  return kept;
}
