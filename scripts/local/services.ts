import { join } from 'node:path';
import type { Program } from '../processes/program.ts';
import { getUrl } from './get-url.ts';
import { type Home, root } from './home.ts';

export const serviceNames = [
  'requests',
  'messages',
  'expiry-worker',
  'notifier',
  'dashboard',
  'hub',
  'gateway',
] as const;

export type ServiceName = (typeof serviceNames)[number];

/** The bundles of the services for `npm start`. */
export const bundleFolder = 'node_modules/.relay-services';

/** A service as the supervisor runs it. */
export function serviceProgram(
  name: ServiceName,
  options: {
    home: Home;
    env: NodeJS.ProcessEnv;
    opsUrl: string;
    /** Runs its bundle. Otherwise the compiled files. */
    isBundled?: boolean;
  },
): Program {
  return {
    name,
    tier: 1,
    command: process.execPath,
    args: [
      ...wasmOptions(),
      options.isBundled
        ? join(root, bundleFolder, `${name}.js`)
        : join(root, 'services', name, 'dist/main.js'),
    ],
    env: { ...memoryLimits, ...options.env },
    cwd: root,
    logFile: options.home.log(name),
    stopSignal: 'SIGTERM',
    notReady: () => readWhyNotReady(options.opsUrl),
  };
}

/**
 * glibc raises its threshold with use, so that freed buffers of up to 32 MiB stay in one of many arenas. With a fixed
 * one they go back to the system. It stays above 64 KiB, the size of Node's reads: shrunk ones may be kept for long,
 * and each would hold a page and one of the 65,530 mappings that a process may have.
 */
const memoryLimits = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' };

/**
 * Prisma parses its schema in WebAssembly at the first call that needs it, for which V8's optimiser would take a quarter of a second
 * of CPU time. A larger budget postpones that. A Node that does not know the option refuses to start.
 */
function wasmOptions(): string[] {
  const major = Number(process.versions.node.split('.')[0]);
  return major <= 24 ? ['--wasm-tiering-budget=20000000'] : [];
}

/** Calls `/readyz`: `undefined` when the service is ready, else the reason. */
async function readWhyNotReady(opsUrl: string): Promise<string | undefined> {
  try {
    const { status, text } = await getUrl(`${opsUrl}/readyz`, { timeoutMs: 2_000 });
    if (status === 200) return undefined;
    const { reason } = JSON.parse(text) as { reason?: string };
    return reason ?? 'not ready';
  } catch (error) {
    return (error as Error).message;
  }
}
