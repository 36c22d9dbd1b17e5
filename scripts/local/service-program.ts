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
    args: ['--enable-source-maps', join(root, 'services', service.name, 'dist/main.js')],
    env: options.env,
    cwd: root,
    logFile: options.home.log(service.name),
    stopSignal: 'SIGTERM',
    notReady: () => askReady(options.opsUrl),
  };
}
