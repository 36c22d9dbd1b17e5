import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../local/home.ts';
import { runCommand } from '../processes/run-command.ts';
import { buildWeb } from './build-web.ts';
import { findCompiler } from './find-compiler.ts';
import { allBuilt, stampSources } from './source-stamp.ts';

const stampFile = join(root, 'node_modules', '.relay-stamp-build');

/** Builds what changed since the last time: the code of Node by the compiler, the web app by Vite. */
export async function buildAll(): Promise<void> {
  await Promise.all([compile(), buildWeb()]);
}

async function compile(): Promise<void> {
  const wanted = stampSources(root);
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted && allBuilt(root)) return;
  await runCommand({
    command: await findCompiler(),
    args: ['--build', 'tsconfig.build.json'],
    cwd: root,
    failure:
      'The code does not compile. Repair what the compiler reports above, then run the same command again.',
  });
  writeFileSync(stampFile, wanted);
}
