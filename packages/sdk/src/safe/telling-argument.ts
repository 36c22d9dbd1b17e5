import { isObject, type Members } from '../transport/shape.ts';
import { code, toJson } from './markdown.ts';

/** In Unicode code points. */
const mostCharacters = 100;

/**
 * What says most about a call of a tool, as code in one line, since lists show no more of a question: the command or the file, else the
 * first text of the arguments, else their first number. Empty where there is none.
 */
export function tellingArgument(given: unknown): string {
  if (typeof given === 'string') return shorten(given);
  const { command, file_path: file, ...others }: Members = isObject(given) ? given : {};
  const all = [command, file, ...Object.values(others)];
  const told = all.find((one) => typeof one === 'string') ?? all.find((one) => Number.isFinite(one));
  return told === undefined ? '' : shorten(typeof told === 'string' ? told : toJson(told));
}

/** Its first line, with an ellipsis where more follows than white space. */
function shorten(text: string): string {
  // Without the lookbehind, the time for a long run of spaces would grow with its square.
  const trimmed = text.replaceAll(/^[ \t\r\n]+|(?<![ \t\r\n])[ \t\r\n]+$/g, '');
  const [line = ''] = trimmed.split(/\r?\n/, 1);
  const shown = Array.from(line).slice(0, mostCharacters).join('');
  return code(shown.length < trimmed.length ? `${shown}…` : shown);
}
