import { bringUp } from './local/bring-up.ts';
import { openHome, root } from './local/home.ts';
import { withRun } from './local/with-run.ts';
import { readAffectedServices } from './reload/affected-services.ts';
import { compilerProgram, webProgram } from './reload/compiler-program.ts';
import { followLines } from './reload/follow-lines.ts';
import { createErrorTeller } from './reload/tell-errors.ts';
import { watchBuiltCode } from './reload/watch-built-code.ts';
import { createTerminal } from './terminal/terminal.ts';

/** `npm run dev`: as `npm start`, and what is saved is compiled and running a moment later. */
export async function dev(): Promise<void> {
  const terminal = createTerminal();
  const home = openHome();
  await withRun({ home, terminal }, async (run) => {
    await bringUp(run, terminal);
    const affected = readAffectedServices(root);
    const stopWatching = watchBuiltCode(root, (workspaces) => {
      const services = new Set(workspaces.flatMap(affected));
      for (const service of services) void run.supervisor.restart(service);
    });
    await run.supervisor.start(await compilerProgram(home));
    await run.supervisor.start(webProgram(home));
    const hear = createErrorTeller((line) => terminal.line(`  ${line}`));
    const stops = [
      stopWatching,
      followLines(home.log('compiler'), hear),
      // Vite prints only what went wrong.
      followLines(home.log('web'), (line) => terminal.line(`  ${line}`)),
    ];
    await run.interrupted;
    for (const stop of stops) stop();
  });
}
