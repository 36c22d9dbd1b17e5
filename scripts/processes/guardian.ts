// Bundled and run by guard.ts. Each line of its standard input is a plan, and the last one counts; the input's end means
// that the launcher has ended, for whatever reason.
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { CleanupPlan } from './guard.ts';
import { stopProcesses } from './stop-processes.ts';

for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);

let plan: CleanupPlan = { stop: [], remove: [] };
for await (const line of createInterface({ input: process.stdin })) plan = JSON.parse(line) as CleanupPlan;

if (plan.stop.length > 0) {
  console.log(`${new Date().toISOString()} the launcher has ended: stopping what it started`);
  await stopProcesses(plan.stop, { limit: 10_000 });
}
for (const path of plan.remove) rmSync(path, { recursive: true, force: true });
