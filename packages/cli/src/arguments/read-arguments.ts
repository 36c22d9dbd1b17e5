import { parseArgs } from 'node:util';
import { Failure } from '../failure.ts';
import type { Arguments, Command } from './command.ts';
import { nearest } from './nearest.ts';

/** Parses the words after a command's name. Every mistake throws a Failure that says what to do. */
export function readArguments(command: Command, args: readonly string[]): Arguments {
  const { name, options, words: allowed } = command;
  const names = new Map(
    Object.entries(options).flatMap(([option, { alias = option }]) => [
      [option, option],
      [alias, option],
    ]),
  );
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      [...names].map(([typed, option]) => [typed, { type: options[option]?.value ? 'string' : 'boolean' }]),
    ),
    // Our own errors say what to do.
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given: Record<string, string | true | string[]> = {};
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const named = names.get(token.name) ?? token.name;
    const option = options[named];
    if (!option) throw mistake(name, unknownOption(name, token.rawName, Object.keys(options)));
    if (!option.value) {
      if (token.value !== undefined) throw mistake(name, `${token.rawName} takes no value.`);
      given[named] = true;
    } else {
      const { value } = token;
      // `--wait --json`: the value was forgotten; the next option is not the value.
      const forgotten = value === undefined || (!token.inlineValue && /^-./.test(value));
      if (forgotten) throw mistake(name, `${token.rawName} needs a value: ${token.rawName} ${option.value}.`);
      if (option.many) given[named] = [...((given[named] as string[] | undefined) ?? []), value];
      else given[named] = value;
    }
  }
  checkWords(command, words, allowed);
  return { options: given as Arguments['options'], words };
}

function checkWords(command: Command, words: readonly string[], [atLeast, atMost]: Command['words']): void {
  const { name, usage } = command;
  const expected = ` It is called like this: relay ${name} ${usage[0]}`.trimEnd();
  if (words.length < atLeast) throw mistake(name, `Something is missing.${expected}`);
  if (words.length > atMost) {
    const reason = atMost > 0 ? ' Text of several words needs quotes around it.' : '';
    throw mistake(name, `"${words[atMost]}" is not expected here.${reason}${expected}`);
  }
}

function unknownOption(command: string, option: string, known: readonly string[]): string {
  if (/key|token|secret/i.test(option)) {
    return `${option} does not exist: a key on the command line stays in the shell's history and can be seen by others. Set RELAY_API_KEY. Or store it once: relay login`;
  }
  const meant = nearest(
    option,
    known.map((name) => `--${name}`),
  );
  return `relay ${command} has no option ${option}.${meant ? ` Did you mean ${meant}?` : ''}`;
}

function mistake(command: string, message: string): Failure {
  return new Failure('usage', `${message}\nMore: relay help ${command}`);
}
