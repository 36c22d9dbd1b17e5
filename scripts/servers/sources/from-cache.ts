import { npmProgram } from './from-npm.ts';
import { pickProgram } from './on-this-machine.ts';
import type { Answer, Source } from './source.ts';
import { unpackedProgram } from './unpack-packages.ts';

/** What an earlier run fetched. */
export const fromCache: Source = async (sought, { cache }): Promise<Answer> => {
  const found = await Promise.all(
    sought.map(async ({ kind, data }) => {
      const program =
        kind.name === 'postgres' ? await npmProgram(kind, cache) : await unpackedProgram(kind, cache);
      return program && pickProgram(kind, data, [program]);
    }),
  );
  return { found: found.flatMap((one) => one ?? []) };
};
