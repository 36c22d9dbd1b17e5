import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The commands that docs/kubernetes.md of a checkout gives first under a heading, as its readers would paste them. */
export function commandsOf(checkout: string, heading: string): string[] {
  const page = readFileSync(join(checkout, 'docs/kubernetes.md'), 'utf8');
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  const block = /```sh\n(.*?)\n```/s.exec(section ?? '')?.[1];
  if (!block) throw new Error(`docs/kubernetes.md gives no commands under "${heading}".`);
  return block.split(/(?<![\\|])\n/);
}
