import { cacheFolder } from '../local/home.ts';
import { inOneLine } from '../terminal/failure.ts';
import { leftToAllTests } from '../testing/left-to-all-tests.ts';
import { findPrograms } from './find-program.ts';
import { nats } from './nats.ts';
import type { FoundProgram, ProgramKind } from './server-kind.ts';
import { unpackedPrograms, unpackPackages } from './sources/debian.ts';

/** A program for tests, or the reason why there is none. */
export type Tool = FoundProgram | { readonly missing: string };

/** The program on PATH, in the usual folders or in the cache; else it is fetched. Nothing is installed. */
export async function findTool(kind: ProgramKind, cache = cacheFolder()): Promise<Tool> {
  const [existing] = [...(await findPrograms(kind)), ...(await unpackedPrograms(kind, cache))];
  if (existing) return existing;
  const left = leftToAllTests(kind.title);
  if (left) return left;
  const needed = `${kind.title} ${kind.minimum} or later is missing`;
  try {
    await unpackPackages(kind.debian, cache);
  } catch (error) {
    return { missing: `${needed}, and could not be fetched: ${inOneLine(error)}` };
  }
  const [fetched] = await unpackedPrograms(kind, cache);
  return fetched ?? { missing: `${needed}, and the package ${kind.debian} does not have it` };
}

/** Several of them, one after the other. */
export async function findTools(kinds: readonly ProgramKind[]): Promise<Tool[]> {
  const tools: Tool[] = [];
  for (const kind of kinds) tools.push(await findTool(kind));
  return tools;
}

/** Why something is missing; nothing if it is there. */
export const whyMissing = (found: object | { missing: string }): string | undefined =>
  'missing' in found ? found.missing : undefined;

/** The program, where it cannot be missing or its absence ends the work. */
export function requireTool(tool: Tool): FoundProgram {
  if ('missing' in tool) throw new Error(`${tool.missing}.`);
  return tool;
}

/**
 * The variable that hands programs down to the tests of packages and services, which cannot import these scripts. They start
 * only NATS themselves, by testkit's `startOwnNats`.
 */
export async function programsForTests(cache: string): Promise<Record<string, string>> {
  const tool = await findTool(nats, cache);
  const handed = 'missing' in tool ? tool : { path: tool.path, env: tool.env ?? {} };
  return { RELAY_TEST_PROGRAMS: JSON.stringify({ 'nats-server': handed }) };
}
