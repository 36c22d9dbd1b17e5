import type { Config } from './config.ts';
import type { Input } from './terminal/input.ts';
import type { Screen } from './terminal/screen.ts';

/** What every command gets. */
export interface Context {
  readonly config: Config;
  /** The working directory. */
  readonly folder: string;
  readonly input: Input;
  /** For results: answers, lists, JSON. */
  readonly out: Screen;
  /** For all other output. */
  readonly err: Screen;
  /** Aborted by Ctrl-C and signals like it, or when stdout cannot be written any more. */
  readonly signal: AbortSignal;
  readonly now: () => number;
}
