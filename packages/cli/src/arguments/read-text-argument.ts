import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';

/** A text from the command line, or for `-` from stdin. */
export async function readTextArgument({ input, err }: Context, word: string): Promise<string> {
  if (word === '-' && input.isTerminal) err.paragraph('Type the text, then Ctrl-D on a line of its own:');
  const text = word === '-' ? (await input.readText()).trim() : word;
  if (text.trim() === '')
    throw new Failure('usage', 'The text is empty. Put it in quotes, or use - and pipe it in.');
  return text;
}
