import { rmSync } from 'node:fs';
import { type Home, root } from './local/home.ts';
import { withRun } from './local/with-run.ts';
import type { Program } from './processes/program.ts';
import { readAffectedServices, watchBuiltCode } from './reload/affected-services.ts';
import { createErrorReporter, followLines } from './reload/compiler-output.ts';
import { startProduct } from './start.ts';
import { buildWebCommand, findCompiler } from './steps/build.ts';

/** `npm run dev`: as `npm start`; saved files are compiled, and the services that use them restarted. */
export async function dev(): Promise<void> {
  await withRun({}, async (run) => {
    const { home, terminal, supervisor } = run;
    await startProduct(run);
    const affected = readAffectedServices(root);
    const stopWatching = watchBuiltCode(root, (workspaces) => {
      const services = new Set(workspaces.flatMap(affected));
      for (const service of services) void supervisor.restart(service);
    });
    const compilerArgs = ['--build', '--watch', '--preserveWatchOutput', 'tsconfig.build.json'];
    await supervisor.start(watcher(home, 'compiler', await findCompiler(), compilerArgs));
    const { command, args } = buildWebCommand;
    await supervisor.start(watcher(home, 'web', command, [...args, '--watch']));
    const show = (line: string) => terminal.line(`  ${line}`);
    const stops = [
      stopWatching,
      followLines(home.log('compiler'), createErrorReporter(show)),
      // Vite prints only errors.
      followLines(home.log('web'), show),
    ];
    await run.interrupted;
    for (const stop of stops) stop();
  });
}

/** A program that builds what is saved. */
function watcher(home: Home, name: string, command: string, args: readonly string[]): Program {
  const logFile = home.log(name);
  return {
    name,
    command,
    args,
    tier: 4,
    env: process.env,
    cwd: root,
    logFile,
    stopSignal: 'SIGTERM',
    prepare: async () => rmSync(logFile, { force: true }),
    notReady: async () => undefined,
  };
}
