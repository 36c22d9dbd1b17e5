import type { Context } from '../context.ts';
import type { Outcome } from '../exit-codes.ts';

/** An option of a command. One with `value` takes a text, which the help calls by that name. */
export interface Option {
  readonly help: string;
  readonly value?: string;
}

export type Options = Readonly<Record<string, Option>>;

/** What was given of them: a text where one is taken, else `true`. */
export type Given<O extends Options> = {
  readonly [Name in keyof O]?: O[Name] extends { value: string } ? string : true;
};

export interface Arguments<O extends Options = Options> {
  readonly options: Given<O>;
  readonly words: readonly string[];
}

/** Everything about one command: what it does, and what `relay help` says of it. */
export interface Command<O extends Options = Options> {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  /** After `relay <name>`, each way to call it on a line. */
  readonly usage: readonly string[];
  /** What one needs to know, in a few sentences. */
  readonly about: string;
  readonly options: O;
  readonly examples: readonly string[];
  /** How many words, options apart, it takes. */
  readonly words: readonly [atLeast: number, atMost: number];
  /** Whether it starts although a setting is wrong: it reports that itself. */
  readonly startsWithWrongSettings?: boolean;
  run(context: Context, given: Arguments<O>): Promise<Outcome>;
}

/** Lets the compiler find the options' types from what is written. */
export function defineCommand<const O extends Options>(command: Command<O>): Command {
  return command as unknown as Command;
}
