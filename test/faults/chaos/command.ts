import { join } from 'node:path';
import { root } from '../../../scripts/local/home.ts';
import type { Terminal } from '../../../scripts/terminal/terminal.ts';
import { formatChaosResult } from './format-result.ts';
import { recordChaos } from './record.ts';
import type { ChaosSettings } from './settings.ts';

/** `npm run faults -- chaos`, after the build. */
export async function chaos(settings: ChaosSettings, terminal: Terminal): Promise<void> {
  // Imported here because it needs packages that were built just before.
  const { runChaos } = await import('./run-chaos.ts');
  const result = await terminal.step('chaos', (detail) => runChaos(settings, detail));
  // The clients of an interrupted run would continue to call services that have stopped.
  if (!result) process.exit(130);
  terminal.line(`\n${formatChaosResult(result)}\n`);
  if (!settings.only) recordChaos(join(root, 'test/faults/chaos/record.md'), result, new Date());
  if (result.failures.length > 0) process.exitCode = 1;
}
