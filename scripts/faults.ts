import { join } from 'node:path';
import { chaos } from '../test/faults/chaos/command.ts';
import { readChaosSettings } from '../test/faults/chaos/settings.ts';
import type { SeedResult } from '../test/faults/checks/seed-result.ts';
import { chooseSeeds } from '../test/faults/record/choose-seeds.ts';
import { formatResults } from '../test/faults/record/format-results.ts';
import { openRecord } from '../test/faults/record/record.ts';
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
  const results: SeedResult[] = [];
  for (const seed of seeds) {
    const result = await terminal.step(`seed ${seed}`, (detail) => runSeed(seed, detail));
    if (!result) break;
    record.add(result, new Date());
    results.push(result);
    if (result.failures.length > 0) terminal.line(`    FAILED: ${result.failures[0]}`);
  }
  terminal.line(`\n${formatResults(results)}\n`);
  if (results.length < seeds.length) {
    terminal.line('Interrupted. The same command continues with the next seed.');
    process.exitCode = 130;
  } else if (results.some(({ failures }) => failures.length > 0)) process.exitCode = 1;
}

/** Hostile connections instead of faults. */
async function runChaosCommand(args: string[]): Promise<void> {
  const settings = readChaosSettings(args);
  const terminal = createTerminal();
  await buildProduct(terminal);
  await chaos(settings, terminal);
}
