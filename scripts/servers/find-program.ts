import { readdirSync } from 'node:fs';
import { delimiter } from 'node:path';
import { runCommand } from '../processes/run-command.ts';
import { executables } from './executables.ts';
import type { FoundProgram, ServerKind } from './server-kind.ts';
import { findVersion, isAtLeast } from './version.ts';

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

/** A program that runs and is new enough. */
export async function checkProgram(
  kind: ServerKind,
  path: string,
  env?: NodeJS.ProcessEnv,
): Promise<FoundProgram | undefined> {
  const told = await runCommand({
    command: path,
    args: ['--version'],
    env: { ...process.env, ...env },
    timeout: 5_000,
    failure: `${path} does not run`,
  }).catch(() => '');
  const version = findVersion(told);
  if (!version || !isAtLeast(version, kind.minimum)) return undefined;
  return { path, version, ...(env ? { env } : {}) };
}

// A star stands for any version: the folders there are, the newest first.
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
