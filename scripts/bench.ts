import { join } from 'node:path';
import { buildPrograms } from '../bench/environment/build-programs.ts';
import { openEnvironment } from '../bench/environment/environment.ts';
import { formatTable, type Line } from '../bench/measure/table.ts';
import { chooseRows, usage } from '../bench/rows/choose-rows.ts';
import { root } from './local/home.ts';
import { withTemporaryRun } from './local/with-run.ts';
import { openServers } from './servers/open-servers.ts';
import { buildAll, generateAll } from './steps/build.ts';
import { createTerminal } from './terminal/terminal.ts';

/** `npm run bench`: all rows, or those that the arguments name; see bench/README.md. */
export async function bench(args: string[]): Promise<void> {
  const terminal = createTerminal();
  const choice = chooseRows(args);
  if (!choice) return terminal.line(usage);
  const { rows, rounds, profile } = choice;
  const profiles = profile ? join(root, '.relay-profiles') : undefined;
  const lines: Line[] = [];
  try {
    await withTemporaryRun('bench', terminal, async (run) => {
      await terminal.step('generate', generateAll);
      await terminal.step('build', () => Promise.all([buildAll(), buildPrograms()]));
      const servers = await terminal.step('servers', (detail) => openServers(run, { durable: true, detail }));
      const environment = await terminal.step('environment', () => openEnvironment(run, servers));
      for (const { name, measure } of rows) {
        const options = { rounds, profiles };
        const measured = await terminal.step(name, (progress) =>
          measure(environment, { ...options, progress }),
        );
        lines.push(...measured);
      }
      await environment.database.close();
    });
  } finally {
    if (lines.length > 0) terminal.line(`\n${formatTable(lines)}\n`);
  }
}
