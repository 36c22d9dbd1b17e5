// Run by guard.ts. Reads from its standard input, line by line, what is to be stopped and removed;
// the pipe's end means that the launcher is gone, however it went.
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Testament } from './guard.ts';
import { stopProcesses } from './stop-processes.ts';

for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);

let last: Testament = { stop: [], remove: [] };
for await (const line of createInterface({ input: process.stdin })) last = JSON.parse(line) as Testament;

if (last.stop.length > 0) {
  console.log(`${new Date().toISOString()} the launcher is gone: stopping what it started`);
  await stopProcesses(last.stop, { limit: 10_000 });
}
for (const path of last.remove) rmSync(path, { recursive: true, force: true });
