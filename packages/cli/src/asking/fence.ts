import { basename, extname } from 'node:path';
import { block, isDiff } from '@expert-relay/sdk/internal';

/**
 * A text file as Markdown that shows each of its characters: below its name, in a fence that is longer than any in it, with its
 * extension as the language. `path` is absent for a text from a pipe. A file that is Markdown by its name has no fence.
 */
export function fence(text: string, path = ''): string {
  const name = basename(path);
  const extension = extname(name).slice(1).toLowerCase();
  const title = name && `${name}\n\n`;
  if (['md', 'markdown'].includes(extension)) return `${title}${text}`;
  const language = isDiff(text) ? 'diff' : /^[a-z0-9+-]*$/.test(extension) ? extension : '';
  return title + block(text.replace(/\n$/, ''), language);
}
