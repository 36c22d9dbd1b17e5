import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../local/home.ts';
import { type Command, runCommand } from '../processes/run-command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { generateAll } from './generate.ts';

const web = 'services/dashboard/web';
const codeStampFile = join(root, 'node_modules', '.relay-stamp-build');
const webStampFile = join(root, 'node_modules', '.relay-stamp-web');

/** Generates and compiles what has changed. */
export async function buildProduct(terminal: Terminal): Promise<void> {
  await terminal.step('generate', generateAll);
  await terminal.step('build', buildAll);
}

/** Compiles the code for Node, and builds the web app by Vite. */
export async function buildAll(): Promise<void> {
  await Promise.all([compile(), buildWeb()]);
}

async function compile(): Promise<void> {
  const stamp = stampSources(root);
  if (hasStamp(codeStampFile, stamp) && allBuilt(root)) return;
  await runCommand({
    command: await findCompiler(),
    args: ['--build', 'tsconfig.build.json'],
    cwd: root,
    failure:
      'The code does not compile. Repair what the compiler reports above, then run the same command again.',
  });
  writeFileSync(codeStampFile, stamp);
}

/** Vite, which prints only errors. */
export const buildWebCommand = {
  command: process.execPath,
  args: ['node_modules/vite/bin/vite.js', 'build', web, '--logLevel', 'warn'],
  cwd: root,
} satisfies Partial<Command>;

export async function buildWeb(): Promise<void> {
  const stamp = stampWeb(root);
  if (hasStamp(webStampFile, stamp) && existsSync(join(root, web, 'dist/index.html'))) return;
  await runCommand({
    ...buildWebCommand,
    failure:
      'The web app could not be built. Repair what is reported above, then run the same command again.',
  });
  writeFileSync(webStampFile, stamp);
}

/** TypeScript's compiler itself: its wrapper in JavaScript takes time, and does not stop it when it is stopped. */
export async function findCompiler(): Promise<string> {
  const resolver = join(root, 'node_modules/typescript/lib/getExePath.js');
  const { default: getExePath } = (await import(pathToFileURL(resolver).href)) as { default: () => string };
  return getExePath();
}

function hasStamp(file: string, stamp: string): boolean {
  return existsSync(file) && readFileSync(file, 'utf8') === stamp;
}

/** Changes with every source file that is saved, added or removed. Faster than the compiler's own check. */
export function stampSources(folder: string): string {
  const ofWorkspaces = workspacesIn(folder).flatMap((workspace) => [
    `${workspace}/tsconfig.json`,
    `${workspace}/package.json`,
    ...filesIn(folder, `${workspace}/src`),
  ]);
  return stampOf(folder, [...ofWorkspaces, 'tsconfig.base.json', 'tsconfig.build.json', 'package-lock.json']);
}

/** The same for everything that Vite reads: the web app and the SDK's sources. */
export function stampWeb(folder: string): string {
  const sdk = ['packages/sdk/package.json', ...filesIn(folder, 'packages/sdk/src')];
  return stampOf(folder, [...filesIn(folder, web), ...sdk, 'tsconfig.base.json', 'package-lock.json']);
}

/** Whether every workspace has been compiled. */
export function allBuilt(folder: string): boolean {
  return workspacesIn(folder).every((workspace) => existsSync(join(folder, workspace, 'dist/.tsbuildinfo')));
}

function stampOf(folder: string, files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) {
    const { size, mtimeMs } = statSync(join(folder, file));
    hash.update(`${file}\0${size} ${mtimeMs}\0`);
  }
  return hash.digest('hex');
}

function workspacesIn(folder: string): string[] {
  return ['packages', 'services']
    .flatMap((kind) => readdirSync(join(folder, kind)).map((name) => `${kind}/${name}`))
    .filter((workspace) => existsSync(join(folder, workspace, 'tsconfig.json')))
    .sort();
}

function filesIn(folder: string, path: string): string[] {
  const ignored = ['dist', 'node_modules'].map((name) => join(folder, path, name, '/'));
  return readdirSync(join(folder, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !ignored.some((start) => file.startsWith(start)))
    .map((file) => file.slice(join(folder, '/').length))
    .sort();
}
