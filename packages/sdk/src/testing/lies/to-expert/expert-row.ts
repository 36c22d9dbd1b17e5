import type { Lie } from '@expert-relay/testkit';
import type { LieContext } from '../lie-context.ts';

/** The data for a lie about one request. */
export interface ExpertLieContext extends LieContext {
  readonly requestId: string;
  /** The expert's keys of this conversation. */
  readonly own: { readonly sign: string; readonly encrypt: string };
}

/** A lie to the expert, and its expected result. */
export interface ExpertRow {
  readonly name: string;
  readonly lie: (context: ExpertLieContext) => Lie;
  /** The expert's error code. Without it, the agent's three messages arrive and both answers are sent. */
  readonly code?: string;
  /** The number of the agent's messages that arrive. Default: all, or none when there is a code. */
  readonly after?: number;
  /** Why the expert cannot notice. */
  readonly unnoticed?: string;
  /** The agent's error code. Without it, the agent gets both answers. */
  readonly agent?: string;
  /** Whether the expert encrypts for keys that the agent never had. */
  readonly isForOthers?: boolean;
  /** The text that is shown, marked as plain text. */
  readonly shownPlain?: string;
  /** The question that the expert reads. */
  readonly question?: string;
  /** How the expert finds the request. Default: by its id. */
  readonly by?: 'list' | 'code';
  /** What an earlier client of the expert, with the same memory, has done before the lie starts. */
  readonly before?: 'read' | 'pick up' | 'answer' | 'answer and read';
  /** Whether each message arrives only after the next one was sent. */
  readonly isDelayed?: boolean;
  /** Whether the expert reads only after all messages were sent. */
  readonly all?: boolean;
  /** Whether the agent closes it before the expert's first read. */
  readonly isClosed?: boolean;
}
