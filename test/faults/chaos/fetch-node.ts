import { join } from 'node:path';
import { installPackage } from '../../../scripts/servers/sources/npm.ts';

/** The program of another Node version, from npm and kept in the cache beside the servers. */
export async function fetchNode(major: string, cache: string): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(cache, 'npm', `${name}-${major}`);
  const wanted = `${name}@${major}`;
  await installPackage({
    wanted,
    folder,
    failure: `Node ${major} could not be had: npm install ${wanted} failed. Leave --node out to use ${process.version}.`,
  });
  return join(folder, 'node_modules', name, 'bin/node');
}
