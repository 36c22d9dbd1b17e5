import { findPrograms } from '../find-program.ts';
import type { FoundProgram, ServerKind } from '../server-kind.ts';
import { majorOf } from '../version.ts';
import type { Answer, Found, Sought } from './source.ts';

/** Programs on PATH and where systems usually put them. */
export async function onThisMachine(sought: readonly Sought[]): Promise<Answer> {
  const answers = await Promise.all(
    sought.map(async ({ kind, data }) => pickProgram(kind, data, await findPrograms(kind))),
  );
  return { found: answers.flatMap((answer) => answer ?? []) };
}

/** The first program that can read the data there is. */
export function pickProgram(
  kind: ServerKind,
  data: string,
  programs: readonly FoundProgram[],
): Found | undefined {
  const major = kind.majorOfData?.(data);
  const program = programs.find(({ version }) => major === undefined || majorOf(version) === major);
  if (!program) return undefined;
  return { kind, version: program.version, launch: (place) => kind.runProgram(place, program) };
}
