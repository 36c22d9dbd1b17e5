import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeOnce } from '../../scripts/local/cached-folder.ts';
import { root } from '../../scripts/local/home.ts';
import { runCommand } from '../../scripts/processes/run-command.ts';

const version = '1.71.0';

/**
 * A folder in which programs find Mastra, and the packages of this repository. Mastra itself is not one of these: it has 200 MB, and
 * wants Node 22.13.
 */
export async function installMastra(): Promise<string> {
  const folder = join(root, `node_modules/.cache/mastra-${version}`);
  await makeOnce(folder, async (draft) => {
    writeFileSync(join(draft, 'package.json'), '{ "type": "module" }');
    await runCommand({
      command: 'npm',
      args: ['install', '--ignore-scripts', '--no-audit', '--no-fund', `@mastra/core@${version}`],
      cwd: draft,
      timeout: 600_000,
      failure: 'npm could not install Mastra.',
    });
  });
  return folder;
}
