import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The first block of commands under a heading of docs/kubernetes.md in a checkout. */
export function commandsOf(checkout: string, heading: string): string[] {
  const page = readFileSync(join(checkout, 'docs/kubernetes.md'), 'utf8');
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  const block = /```sh\n(.*?)\n```/s.exec(section ?? '')?.[1];
  if (!block) throw new Error(`docs/kubernetes.md has no commands under "${heading}".`);
  return block.split(/(?<![\\|])\n/);
}
