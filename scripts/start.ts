import { bringUp } from './local/bring-up.ts';
import { openHome } from './local/home.ts';
import { withRun } from './local/with-run.ts';
import { createTerminal } from './terminal/terminal.ts';

/** `npm start`: the whole product, until Ctrl-C. */
export async function start(): Promise<void> {
  const terminal = createTerminal();
  await withRun({ home: openHome(), terminal }, async (run) => {
    await bringUp(run, terminal);
    await run.interrupted;
  });
}
