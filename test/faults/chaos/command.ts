import { join } from 'node:path';
import { root } from '../../../scripts/local/home.ts';
import type { Terminal } from '../../../scripts/terminal/terminal.ts';
import { formatChaosVerdict } from './format-verdict.ts';
import { recordChaos } from './record.ts';
import type { ChaosSettings } from './settings.ts';

/** `npm run faults -- chaos`, once everything is built. */
export async function chaos(settings: ChaosSettings, terminal: Terminal): Promise<void> {
  // Not before: what it needs has only now been built.
  const { runChaos } = await import('./run-chaos.ts');
  const verdict = await terminal.step('chaos', (detail) => runChaos(settings, detail));
  // The clients of an interrupted run would go on calling services that have stopped.
  if (!verdict) process.exit(130);
  terminal.line(`\n${formatChaosVerdict(verdict)}\n`);
  if (!settings.only) recordChaos(join(root, 'test/faults/chaos/record.md'), verdict, new Date());
  if (verdict.failures.length > 0) process.exitCode = 1;
}
