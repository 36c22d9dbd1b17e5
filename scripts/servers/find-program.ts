import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runCommand } from '../processes/run-command.ts';
import { type FoundProgram, findVersion, isAtLeast, type ServerKind } from './server-kind.ts';

/** The programs on PATH and in the usual folders that are new enough, in that order. */
export async function findPrograms(kind: ServerKind, path = process.env.PATH ?? ''): Promise<FoundProgram[]> {
  const folders = [...path.split(delimiter), ...kind.folders.flatMap(expand)].filter(Boolean);
  const found: FoundProgram[] = [];
  for (const file of executables(kind.programs, folders)) {
    const program = await checkProgram(kind, file);
    if (program) found.push(program);
  }
  return found;
}

/** The program, if it runs and is new enough. */
export async function checkProgram(
  kind: ServerKind,
  path: string,
  env?: NodeJS.ProcessEnv,
): Promise<FoundProgram | undefined> {
  const printed = await runCommand({
    command: path,
    args: ['--version'],
    env: { ...process.env, ...env },
    timeout: 5_000,
    failure: `${path} does not run`,
  }).catch(() => '');
  const version = findVersion(printed);
  if (!version || !isAtLeast(version, kind.minimum)) return undefined;
  return { path, version, ...(env ? { env } : {}) };
}

/** A star matches any version; the newest folder comes first. */
function expand(pattern: string): string[] {
  const [before, after] = pattern.split('*');
  if (before === undefined || after === undefined) return [pattern];
  const cut = before.lastIndexOf('/') + 1;
  const [parent, prefix] = [before.slice(0, cut), before.slice(cut)];
  try {
    return readdirSync(parent)
      .filter((name) => name.startsWith(prefix))
      .sort((a, b) => b.localeCompare(a, undefined, { numeric: true }))
      .map((name) => `${parent}${name}${after}`);
  } catch {
    return [];
  }
}

/** The programs of these names in these folders, the first name's first. */
export function executables(names: readonly string[], folders: readonly string[]): string[] {
  const files = names.flatMap((name) => [...new Set(folders)].map((folder) => join(folder, name)));
  return files.filter(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
