import { join } from 'node:path';
import { chaos } from '../test/faults/chaos/command.ts';
import { readChaosSettings } from '../test/faults/chaos/settings.ts';
import { chooseSeeds } from '../test/faults/record/choose-seeds.ts';
import { formatVerdicts } from '../test/faults/record/format-verdicts.ts';
import { openRecord } from '../test/faults/record/record.ts';
import type { Verdict } from '../test/faults/verdict/verdict.ts';
import { root } from './local/home.ts';
import { buildProduct } from './steps/build.ts';
import { createTerminal } from './terminal/terminal.ts';

/** `npm run faults`: stops and cuts off parts of the running product, seed by seed; see test/faults/README.md. */
export async function faults(args: string[]): Promise<void> {
  if (args[0] === 'chaos') return runChaosCommand(args.slice(1));
  const record = openRecord(join(root, 'test/faults/record.md'));
  const seeds = chooseSeeds(args, record);
  const terminal = createTerminal();
  if (seeds.length === 0) return terminal.line('All of these seeds have passed already; --again runs them.');
  await buildProduct(terminal);
  // Only now: it imports what was just built.
  const { runSeed } = await import('../test/faults/run-seed.ts');
  const verdicts: Verdict[] = [];
  for (const seed of seeds) {
    const verdict = await terminal.step(`seed ${seed}`, (detail) => runSeed(seed, detail));
    if (!verdict) break;
    record.add(verdict, new Date());
    verdicts.push(verdict);
    if (verdict.failures.length > 0) terminal.line(`    FAILED: ${verdict.failures[0]}`);
  }
  terminal.line(`\n${formatVerdicts(verdicts)}\n`);
  if (verdicts.length < seeds.length) {
    terminal.line('Interrupted. The same command continues with the next seed.');
    process.exitCode = 130;
  } else if (verdicts.some(({ failures }) => failures.length > 0)) process.exitCode = 1;
}

/** Hostile connections instead of faults. */
async function runChaosCommand(args: string[]): Promise<void> {
  const settings = readChaosSettings(args);
  const terminal = createTerminal();
  await buildProduct(terminal);
  await chaos(settings, terminal);
}
