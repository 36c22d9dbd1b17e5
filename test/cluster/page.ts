import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A block of commands under a heading of docs/kubernetes.md in a checkout; the first one, if `at` names no other. */
export function commandsOf(checkout: string, heading: string, at = 0): string[] {
  const page = readFileSync(join(checkout, 'docs/kubernetes.md'), 'utf8');
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  const block = [...(section ?? '').matchAll(/```sh\n(.*?)\n```/gs)][at]?.[1];
  if (!block) throw new Error(`docs/kubernetes.md has no commands under "${heading}".`);
  return block.split(/(?<![\\|])\n/);
}
