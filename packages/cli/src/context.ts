import type { Config } from './config.ts';
import type { Input } from './terminal/input.ts';
import type { Screen } from './terminal/screen.ts';

/** What a command works with. */
export interface Context {
  readonly config: Config;
  /** Where it was typed. */
  readonly folder: string;
  readonly input: Input;
  /** For results: answers, lists, JSON. */
  readonly out: Screen;
  /** For everything else that is said. */
  readonly err: Screen;
  /** Ctrl-C, SIGTERM, or nobody who reads any more. */
  readonly signal: AbortSignal;
  readonly now: () => number;
}
