import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../local/home.ts';
import { type Command, runCommand } from '../processes/run-command.ts';
import { stampWeb } from './source-stamp.ts';

const stampFile = join(root, 'node_modules', '.relay-stamp-web');

/** Vite, which prints only what went wrong. */
export const buildWebCommand = {
  command: process.execPath,
  args: ['node_modules/vite/bin/vite.js', 'build', 'services/dashboard/web', '--logLevel', 'warn'],
  cwd: root,
} satisfies Partial<Command>;

/** Builds the experts' web app, unless nothing of it has changed since the last time. */
export async function buildWeb(): Promise<void> {
  const wanted = stampWeb(root);
  const built = existsSync(join(root, 'services/dashboard/web/dist/index.html'));
  if (built && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) return;
  await runCommand({
    ...buildWebCommand,
    failure:
      'The web app could not be built. Repair what is reported above, then run the same command again.',
  });
  writeFileSync(stampFile, wanted);
}
