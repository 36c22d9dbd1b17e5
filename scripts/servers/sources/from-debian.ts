import { existsSync } from 'node:fs';
import { inOneLine } from '../../terminal/in-one-line.ts';
import { findPrograms } from '../find-program.ts';
import { installPackages } from './install-packages.ts';
import { pickProgram } from './on-this-machine.ts';
import type { Answer, Found, Source } from './source.ts';
import { unpackedProgram, unpackPackages } from './unpack-packages.ts';

/**
 * The distribution's packages: installed when we are root, else unpacked into the cache. Not for
 * Postgres, whose package makes and starts a cluster of its own; npm has it without such effects.
 */
export const fromDebian: Source = async (sought, home, say): Promise<Answer> => {
  const wanted = sought.filter(({ kind }) => kind.name !== 'postgres');
  if (wanted.length === 0) return { found: [] };
  if (!existsSync('/etc/debian_version') || !existsSync('/usr/bin/apt-get')) {
    return { found: [], trouble: 'this is no Debian or Ubuntu to get packages for' };
  }
  const names = wanted.map(({ kind }) => kind.debianPackage);
  say(`apt-get ${names.join(' ')}`);
  let trouble: string | undefined;
  if (process.getuid?.() === 0) {
    trouble = await troubleOf(installPackages(names));
    const found = await Promise.all(
      wanted.map(async ({ kind, data }) => pickProgram(kind, data, await findPrograms(kind))),
    );
    if (!trouble) return { found: found.flatMap((one) => one ?? []) };
  }
  const found: Found[] = [];
  for (const { kind, data } of wanted) {
    trouble = (await troubleOf(unpackPackages(kind.debianPackage, home.cache))) ?? trouble;
    const program = await unpackedProgram(kind, home.cache);
    const one = program && pickProgram(kind, data, [program]);
    if (one) found.push(one);
  }
  return found.length === wanted.length
    ? { found }
    : { found, trouble: trouble ?? 'the packages are too old' };
};

async function troubleOf(work: Promise<void>): Promise<string | undefined> {
  return work.then(() => undefined, inOneLine);
}
