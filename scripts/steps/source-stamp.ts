import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const web = 'services/dashboard/web';

/** Changes with every source file that is saved, added or removed: cheaper than asking the compiler. */
export function stampSources(root: string): string {
  const ofWorkspaces = workspaces(root).flatMap((folder) => [
    `${folder}/tsconfig.json`,
    `${folder}/package.json`,
    ...filesIn(root, `${folder}/src`),
  ]);
  return stamp(root, [...ofWorkspaces, 'tsconfig.base.json', 'tsconfig.build.json', 'package-lock.json']);
}

/** The same for everything that Vite reads: the web app and the SDK's sources. */
export function stampWeb(root: string): string {
  const sdk = ['packages/sdk/package.json', ...filesIn(root, 'packages/sdk/src')];
  return stamp(root, [...filesIn(root, web), ...sdk, 'tsconfig.base.json', 'package-lock.json']);
}

/** Whether every workspace has what the compiler made of it. */
export function allBuilt(root: string): boolean {
  return workspaces(root).every((folder) => existsSync(join(root, folder, 'dist/.tsbuildinfo')));
}

function stamp(root: string, files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) {
    const { size, mtimeMs } = statSync(join(root, file));
    hash.update(`${file}\0${size} ${mtimeMs}\0`);
  }
  return hash.digest('hex');
}

function workspaces(root: string): string[] {
  return ['packages', 'services']
    .flatMap((kind) => readdirSync(join(root, kind)).map((name) => `${kind}/${name}`))
    .filter((folder) => existsSync(join(root, folder, 'tsconfig.json')))
    .sort();
}

function filesIn(root: string, folder: string): string[] {
  const made = ['dist', 'node_modules'].map((name) => join(root, folder, name, '/'));
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !made.some((ignored) => path.startsWith(ignored)))
    .map((path) => path.slice(join(root, '/').length))
    .sort();
}
