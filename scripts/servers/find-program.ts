import { accessSync, constants } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { runCommand } from '../processes/run-command.ts';
import type { Found, FoundProgram, Placement, ProgramKind } from './server-kind.ts';

/** The programs on PATH and in the usual folders that are new enough, in that order. */
export function findPrograms(
  kind: ProgramKind,
  { PATH = '', RELAY_PATH_ONLY } = process.env,
): Promise<FoundProgram[]> {
  const usual = RELAY_PATH_ONLY === 'true' ? [] : kind.folders;
  return checkPrograms(kind, [...PATH.split(delimiter), ...usual].filter(Boolean));
}

/** The programs in these folders that run and are new enough. */
export async function checkPrograms(
  kind: ProgramKind,
  folders: readonly string[],
  env?: NodeJS.ProcessEnv,
): Promise<FoundProgram[]> {
  const { programs, beside = [] } = kind;
  const found: FoundProgram[] = [];
  for (const path of executables(programs, folders)) {
    if (executables(beside, [dirname(path)]).length < beside.length) continue;
    const printed = await runCommand({
      command: path,
      args: ['--version'],
      env: { ...process.env, ...env },
      timeout: 30_000,
      failure: `${path} does not run`,
    }).catch(() => '');
    const version = findVersion(printed);
    if (version && isAtLeast(version, kind.minimum)) found.push({ path, version, env });
  }
  return found;
}

/** The first program that can read the data. */
export function pickProgram(placement: Placement, programs: readonly FoundProgram[]): Found | undefined {
  const { kind, data } = placement;
  const major = kind.majorOfData?.(data);
  const program = programs.find(({ version }) => major === undefined || version.split('.')[0] === major);
  if (!program) return undefined;
  const { version, env = {} } = program;
  return { version, launch: { env, ...kind.runProgram(placement, program) } };
}

/** The first program of these names on PATH, or in further folders. */
export function findOnPath(
  names: readonly string[],
  { path = process.env.PATH ?? '', folders = [] }: { path?: string; folders?: readonly string[] } = {},
): string | undefined {
  return executables(names, [...path.split(delimiter), ...folders].filter(Boolean))[0];
}

/** The programs of these names in these folders, the first name's first. */
function executables(names: readonly string[], folders: readonly string[]): string[] {
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

/** The first version in a text: `15.14`, `7.0.15`, `2.9.10`. */
export function findVersion(text: string): string | undefined {
  return /\d+(\.\d+)+|\d+(?=(beta|rc|devel))/.exec(text)?.[0];
}

export function isAtLeast(version: string, minimum: string): boolean {
  return version.localeCompare(minimum, 'en', { numeric: true }) >= 0;
}
