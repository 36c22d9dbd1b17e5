import { join } from 'node:path';
import { root } from '../../scripts/local/home.ts';
import type { Run } from '../../scripts/local/with-run.ts';
import { built } from './build-programs.ts';
import { controlled } from './controlled.ts';
import type { Stage } from './stage.ts';

/** Starts the bench's own programs: the load, and the baselines. */
export function programStarter({ home, ports, supervisor }: Run, databaseUrl: string): Stage['program'] {
  return async (name, env = {}, as = name) => {
    const port = await ports.choose(as);
    const socket = home.file(`${as}.sock`);
    const program = controlled(as, port, socket);
    await supervisor.start({
      name: as,
      tier: 1,
      command: process.execPath,
      args: [join(built, `${name}.js`)],
      env: {
        ...process.env,
        NODE_ENV: 'production',
        DATABASE_URL: databaseUrl,
        BENCH_SOCKET: socket,
        BENCH_PORT: String(port),
        ...env,
      },
      cwd: root,
      logFile: home.log(as),
      stopSignal: 'SIGTERM',
      notReady: () =>
        program.usage().then(
          () => undefined,
          (error: Error) => error.message,
        ),
    });
    return program;
  };
}
