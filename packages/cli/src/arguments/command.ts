import type { ProfileName } from '../config.ts';
import type { Context } from '../context.ts';
import type { Outcome } from '../exit-codes.ts';

/** An option of a command. One with `value` takes a text; `value` is its name in the help. */
export interface Option {
  readonly help: string;
  readonly value?: string;
  /** Whether it may be given several times. */
  readonly many?: true;
  /** Another name that is accepted, and that neither the help nor the docs have. */
  readonly alias?: string;
}

export type Options = Readonly<Record<string, Option>>;

/** The given options: a text for options with a value, or a list of texts; otherwise `true`. */
export type Given<O extends Options> = {
  readonly [Name in keyof O]?: O[Name] extends { many: true }
    ? readonly string[]
    : O[Name] extends { value: string }
      ? string
      : true;
};

export interface Arguments<O extends Options = Options> {
  readonly options: Given<O>;
  readonly words: readonly string[];
}

/** A command, with its help text. */
export interface Command<O extends Options = Options> {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  /** The forms of the command, each without `relay <name>`. */
  readonly usage: readonly string[];
  /** A few sentences for `relay help <name>`. */
  readonly about: string;
  readonly options: O;
  readonly examples: readonly string[];
  /** How many words it takes, not counting options. */
  readonly words: readonly [atLeast: number, atMost: number];
  /** Whose profile of `relay login` it uses, where several are stored the first; none without it. */
  readonly profiles?: readonly ProfileName[];
  /** Whether it starts although a setting is wrong, and reports that itself. */
  readonly startsWithWrongSettings?: boolean;
  /** Whether it is done when nothing reads its output any more, as in `relay listen | head -1`. */
  readonly endsWithReader?: boolean;
  run(context: Context, given: Arguments<O>): Promise<Outcome>;
}

/** Infers the types of the options. */
export function defineCommand<const O extends Options>(command: Command<O>): Command {
  return command as unknown as Command;
}
