import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A block of commands under a heading of a page in a checkout; the first one, if `at` names no other. */
export function commandsOf(checkout: string, page: string, heading: string, at = 0): string[] {
  const sections = readFileSync(join(checkout, page), 'utf8').split(/^##? /m);
  const section = sections.find((text) => text.startsWith(`${heading}\n`));
  const block = [...(section ?? '').matchAll(/```sh\n(.*?)\n```/gs)][at]?.[1];
  if (!block) throw new Error(`${page} has no commands under "${heading}".`);
  return block.split(/(?<![\\|])\n/);
}
