import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { unpackPackages } from './sources/debian.ts';

/** nginx, and its module nchan. */
export interface NchanProgram {
  readonly program: string;
  readonly module: string;
  readonly env?: NodeJS.ProcessEnv;
}

const debianPackage = 'libnginx-mod-nchan';

/** As installed on this machine; else from Debian's packages, which are unpacked. */
export async function findNchan(cache: string): Promise<NchanProgram> {
  const installed = inFolder('/');
  if (installed) return installed;
  const { folder, env } = await unpackPackages(debianPackage, cache);
  const unpacked = inFolder(folder);
  if (unpacked) return { ...unpacked, env };
  throw new Error(`the package ${debianPackage} contains no nginx with nchan`);
}

function inFolder(folder: string): NchanProgram | undefined {
  const program = join(folder, 'usr/sbin/nginx');
  const module = join(folder, 'usr/lib/nginx/modules/ngx_nchan_module.so');
  return existsSync(program) && existsSync(module) ? { program, module } : undefined;
}
