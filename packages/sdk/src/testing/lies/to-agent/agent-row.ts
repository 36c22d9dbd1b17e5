import type { Lie } from '@expert-relay/testkit';
import type { Question } from '../../../index.ts';
import type { LieContext } from '../lie-context.ts';

/** A lie to the agent, and its expected result. */
export interface AgentRow {
  readonly name: string;
  readonly lie: (context: LieContext) => Lie;
  /** The error code of waiting. Without it, all three answers arrive once and in order. */
  readonly code?: string;
  /** The number of answers that arrive before the error. */
  readonly after?: number;
  /** The maximum of that number, where it depends on timing. */
  readonly upTo?: number;
  /** The question, if it matters. */
  readonly asked?: Question;
  /** Whether the agent knows the expert's fingerprint. */
  readonly known?: boolean;
  readonly verification?: string;
  /** Whether each message arrives only after the next one was sent. */
  readonly isDelayed?: boolean;
  /** Whether the agent reads only after all answers were sent. */
  readonly all?: boolean;
}
