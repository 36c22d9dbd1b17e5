import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { createErrorReporter } from './dev/compiler-output.ts';
import { watchBuiltCode } from './dev/watch-built-code.ts';
import { root } from './local/home.ts';
import { type Run, withRun } from './local/with-run.ts';
import { startProduct } from './start.ts';
import { findCompiler, webApp } from './steps/build.ts';

/** `npm run dev`: as `npm start`; saved files are compiled, and the services that use them restarted. */
export async function dev(): Promise<void> {
  await withRun({}, async (run) => {
    await startProduct(run);
    watchBuiltCode((changed) => {
      for (const service of changed) void run.supervisor.restart(service);
    });
    const show = (line: string) => run.terminal.line(`  ${line}`);
    const compilerArgs = ['--build', '--watch', '--preserveWatchOutput', 'tsconfig.build.json'];
    startBuilding(run, 'compiler', [await findCompiler(), ...compilerArgs], createErrorReporter(show));
    startBuilding(run, 'web', [process.execPath, ...webApp.args, '--watch'], show);
    await run.interrupted;
  });
}

/** Starts a program that builds what is saved, and calls back with each line that it prints. */
function startBuilding(
  run: Run,
  name: string,
  [command = '', ...args]: readonly string[],
  onLine: (line: string) => void,
): void {
  const child = spawn(command, args, { cwd: root, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', onLine);
  run.supervisor.adopt(name, child.pid);
}
