import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';

/** A text from the command line, or for `-` from stdin. */
export async function readTextArgument(context: Context, word: string): Promise<string> {
  return word === '-' ? (await readPipe(context)).trim() : requireText(word);
}

/** All of stdin, to the character. */
export async function readPipe({ input, err }: Context): Promise<string> {
  if (input.isTerminal) err.paragraph('Type the text, then Ctrl-D on a line of its own:');
  return requireText(await input.readText());
}

function requireText(text: string): string {
  if (text.trim() === '')
    throw new Failure('usage', 'The text is empty. Put it in quotes, or use - and pipe it in.');
  return text;
}
