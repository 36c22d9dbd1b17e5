import { extname } from 'node:path';
import { block, isDiff } from '@expert-relay/sdk/internal';

/**
 * A text file as Markdown that shows each of its characters: in a fence that is longer than any in it, with its extension as the
 * language. `name` is absent for a text from a pipe. A file that is Markdown by its name stays as it is.
 */
export function fence(text: string, name = ''): string {
  const extension = extname(name).slice(1).toLowerCase();
  if (['md', 'markdown'].includes(extension)) return text;
  const language = isDiff(text) ? 'diff' : /^[a-z0-9+-]*$/.test(extension) ? extension : '';
  return block(text.replace(/\n$/, ''), language);
}
