import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { unpackPackages } from '../../scripts/servers/sources/debian.ts';

export interface NchanProgram {
  readonly program: string;
  readonly module: string;
}

const debianPackage = 'libnginx-mod-nchan';

/** nginx with nchan: of this machine, else from the distribution's packages, which are unpacked. */
export async function findNchan(cache: string): Promise<NchanProgram> {
  const here = inFolder('/');
  if (here) return here;
  await unpackPackages(debianPackage, cache);
  const unpacked = inFolder(join(cache, 'debian', debianPackage));
  if (unpacked) return unpacked;
  throw new Error(`the package ${debianPackage} holds no nginx with nchan`);
}

function inFolder(folder: string): NchanProgram | undefined {
  const program = join(folder, 'usr/sbin/nginx');
  const module = join(folder, 'usr/lib/nginx/modules/ngx_nchan_module.so');
  return existsSync(program) && existsSync(module) ? { program, module } : undefined;
}
