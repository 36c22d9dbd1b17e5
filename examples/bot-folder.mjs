// What a bot keeps in a folder, so that it is the same expert after a restart.
import { createHash } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeRoot } from '@expert-relay/sdk/crypto';

export async function openFolder(folder) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return { root: await openRoot(folder), memory: openMemory(folder) };
}

/** The secret from which all of the expert's keys are derived. Anyone who has it can act as this expert. */
async function openRoot(folder) {
  const path = join(folder, 'root');
  const kept = await readFile(path).catch(() => undefined);
  if (kept) return new Uint8Array(kept);
  const root = makeRoot();
  await writeFile(path, root, { mode: 0o600, flag: 'wx' });
  return root;
}

/** Keeps the agent's keys and the question of each request, so that the relay cannot show others after a restart. */
function openMemory(folder) {
  const pathOf = (name) => join(folder, `${createHash('sha256').update(name).digest('hex')}.txt`);
  const get = (name) => readFile(pathOf(name), 'utf8').catch(() => undefined);
  // The value is written to a temporary file first, so that a reader never finds half of a file.
  async function write(name, value, move) {
    const draft = `${pathOf(name)}.${crypto.randomUUID()}`;
    await writeFile(draft, value, { mode: 0o600 });
    await move(draft, pathOf(name)).finally(() => rm(draft, { force: true }));
  }
  return {
    get,
    set: (name, value) => write(name, value, rename),
    async remember(name, value) {
      // `link` fails when the file exists: of two writers, the first one wins.
      await write(name, value, link).catch(() => {});
      return (await get(name)) ?? value;
    },
  };
}
