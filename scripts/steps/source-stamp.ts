import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Changes with every source file that is saved, added or removed: cheaper than asking the compiler. */
export function stampSources(root: string): string {
  const hash = createHash('sha256');
  for (const folder of workspaces(root)) {
    for (const file of ['tsconfig.json', 'package.json', ...filesIn(root, `${folder}/src`)])
      note(`${folder}/${file}`);
  }
  for (const file of ['tsconfig.base.json', 'tsconfig.build.json', 'package-lock.json']) note(file);
  return hash.digest('hex');

  function note(file: string): void {
    const { size, mtimeMs } = statSync(join(root, file));
    hash.update(`${file}\0${size} ${mtimeMs}\0`);
  }
}

/** Whether every workspace has what the compiler made of it. */
export function allBuilt(root: string): boolean {
  return workspaces(root).every((folder) => existsSync(join(root, folder, 'dist/.tsbuildinfo')));
}

function workspaces(root: string): string[] {
  return ['packages', 'services']
    .flatMap((kind) => readdirSync(join(root, kind)).map((name) => `${kind}/${name}`))
    .filter((folder) => existsSync(join(root, folder, 'tsconfig.json')))
    .sort();
}

function filesIn(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, folder, '..').length + 1))
    .sort();
}
