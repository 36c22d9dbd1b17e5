import { join } from 'node:path';
import type { Program } from '../processes/program.ts';
import { askReady } from './ask-ready.ts';
import { type Home, root } from './home.ts';
import type { ServiceEntry } from './service-list.ts';

/** A service as the supervisor runs it. */
export function serviceProgram(
  service: ServiceEntry,
  options: { home: Home; env: NodeJS.ProcessEnv; opsUrl: string },
): Program {
  return {
    name: service.name,
    tier: service.tier,
    command: process.execPath,
    args: [...sooner(), join(root, 'services', service.name, 'dist/main.js')],
    env: { ...memoryLimits, ...options.env },
    cwd: root,
    logFile: options.home.log(service.name),
    stopSignal: 'SIGTERM',
    notReady: () => askReady(options.opsUrl),
  };
}

/**
 * glibc keeps freed blocks below its threshold, which grows with use, in an arena for each thread. With a fixed
 * threshold, buffers of 64 KiB and more, the size of Node's reads, go back to the system when they are freed.
 */
const memoryLimits = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '65536' };

/**
 * Prisma parses its schema in WebAssembly at start, long enough for V8 to think that worth optimising:
 * a third of a second of CPU per service. What stays hot is still optimised, later. Only where the
 * option is known to exist: elsewhere Node would refuse to start.
 */
function sooner(): string[] {
  const major = Number(process.versions.node.split('.')[0]);
  return major <= 24 ? ['--wasm-tiering-budget=20000000'] : [];
}
