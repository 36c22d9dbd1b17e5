import type { Lie } from '@expert-relay/testkit';
import type { Question } from '../../../index.ts';
import type { Scene } from '../scene.ts';

/** A lie told to the agent, and what comes of it. */
export interface AgentRow {
  readonly name: string;
  readonly lie: (scene: Scene) => Lie;
  /** What waiting ends with; nothing when all three answers come, once and in order. */
  readonly code?: string;
  /** How many answers come before. */
  readonly after?: number;
  /** As many of them at most: how many is up to time. */
  readonly upTo?: number;
  /** What is asked, if it matters. */
  readonly asked?: Question;
  /** Whether the agent knows the expert's fingerprint. */
  readonly known?: boolean;
  readonly verification?: string;
  /** Whether the agent looks only when all answers are there. */
  readonly all?: boolean;
}
