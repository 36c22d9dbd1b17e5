// Bundled and run by watchdog.ts. Each line of standard input is a plan, of which the last one counts. The end of the
// input means that the process which started this one has ended.
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { stopProcesses } from './stop-processes.ts';
import type { CleanupPlan } from './watchdog.ts';

for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);

let plan: CleanupPlan = { stop: [], remove: [] };
for await (const line of createInterface({ input: process.stdin })) plan = JSON.parse(line) as CleanupPlan;

if (plan.stop.length > 0) {
  console.log(
    `${new Date().toISOString()} npm has ended without stopping these processes: ${plan.stop.map(({ name }) => name).join(', ')}`,
  );
  await stopProcesses(plan.stop, { limit: 10_000 });
}
for (const path of plan.remove) rmSync(path, { recursive: true, force: true });
