import { runCommand } from '../processes/run-command.ts';
import { findOnPath } from '../servers/find-program.ts';

/** A Python of this machine, or the reason why there is none: then its tests are skipped. */
export type Python = { readonly program: string; readonly version: string } | { readonly missing: string };

/** The first Python on PATH, if it is 3.10 or later. */
export async function findPython(path = process.env.PATH ?? ''): Promise<Python> {
  const program = findOnPath(['python3', 'python'], { path });
  if (!program) return { missing: 'there is no python3 on PATH' };
  const version = await runCommand({
    command: program,
    args: ['-c', 'import sys; print(*sys.version_info[:2], sep=".")'],
    timeout: 30_000,
    failure: `${program} does not run.`,
  }).catch(() => '0.0');
  const [major = 0, minor = 0] = version.trim().split('.').map(Number);
  if (major === 3 && minor >= 10) return { program, version: version.trim() };
  return { missing: `${program} is Python ${version.trim()}, and 3.10 or later is needed` };
}
