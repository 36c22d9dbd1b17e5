import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../../scripts/processes/run-command.ts';
import { npm } from '../../../scripts/servers/sources/npm.ts';

/** The program of another Node version, from npm and kept in the cache beside the servers. */
export async function fetchNode(major: string, cache: string): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(cache, 'npm', `${name}-${major}`);
  const program = join(folder, 'node_modules', name, 'bin/node');
  if (existsSync(program)) return program;
  const draft = `${folder}.${process.pid}.new`;
  mkdirSync(draft, { recursive: true });
  try {
    const wanted = `${name}@${major}`;
    await runCommand({
      ...npm([
        'install',
        '--no-save',
        '--ignore-scripts',
        '--no-audit',
        '--no-fund',
        '--prefix',
        draft,
        wanted,
      ]),
      cwd: draft,
      timeout: 300_000,
      failure: `Node ${major} could not be had: npm install ${wanted} failed. Leave --node out to use ${process.version}.`,
    });
    renameSync(draft, folder);
    return program;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
