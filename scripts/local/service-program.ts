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
 * glibc raises its threshold with use, so that freed buffers of up to 32 MiB stay in one of many arenas. With a fixed
 * one they go back to the system. It stays above 64 KiB, the size of Node's reads: shrunk ones may be kept for long,
 * and each would hold a page and one of the 65,530 mappings that a process may have.
 */
const memoryLimits = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' };

/**
 * Prisma parses its schema in WebAssembly at start, long enough for V8 to think that worth optimising:
 * a third of a second of CPU per service. What stays hot is still optimised, later. Only where the
 * option is known to exist: elsewhere Node would refuse to start.
 */
function sooner(): string[] {
  const major = Number(process.versions.node.split('.')[0]);
  return major <= 24 ? ['--wasm-tiering-budget=20000000'] : [];
}
