import { readFileSync } from 'node:fs';

/** The fenced blocks of a language in a page. */
export function blocks(page: string, language: string): string[] {
  const fence = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms');
  return [...readFileSync(page, 'utf8').matchAll(fence)].map(([, block = '']) => block);
}
