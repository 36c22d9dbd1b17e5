import type { Lie } from '@expert-relay/testkit';
import type { Scene } from '../scene.ts';

/** What a liar has at hand who knows what the agent has asked. */
export interface ExpertScene extends Scene {
  readonly requestId: string;
  /** The keys that the expert has in this conversation. */
  readonly own: { readonly sign: string; readonly encrypt: string };
}

/** A lie told to the expert, and what comes of it. */
export interface ExpertRow {
  readonly name: string;
  readonly lie: (scene: ExpertScene) => Lie;
  /** What the expert is told; nothing when the agent's three messages come and both answers go out. */
  readonly code?: string;
  /** How many of the agent's messages come; all when nothing is refused, none when something is. */
  readonly after?: number;
  /** As many of them at most: how many is up to time. */
  readonly upTo?: number;
  /** Why the expert cannot notice. */
  readonly unnoticed?: string;
  /** What the agent is told then; nothing when it gets both answers. */
  readonly agent?: string;
  /** Whether what the expert seals is sealed for keys that the agent never had. */
  readonly isForOthers?: boolean;
  /** Whether the expert is led to write in plain text. */
  readonly isPlain?: boolean;
  /** What is shown as plain text, and as nothing better. */
  readonly shownPlain?: string;
  /** What the expert reads as the question. */
  readonly question?: string;
  /** How the expert finds the request: by its id when nothing is said. */
  readonly by?: 'list' | 'code';
  /** What another client of the expert's, with the same memory, has done before the lie begins. */
  readonly before?: 'look' | 'pick up' | 'answer' | 'talk';
  /** Whether the expert reads only when all messages are there. */
  readonly all?: boolean;
  /** Whether the agent has closed it before the expert looks. */
  readonly isClosed?: boolean;
}
