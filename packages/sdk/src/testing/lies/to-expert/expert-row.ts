import type { Lie } from '@expert-relay/testkit';
import type { AgentExpectation, ExpertExpectation, ExpertSituation } from '@expert-relay/testkit/lies';
import type { LieContext } from '../lie-context.ts';

/** The data for a lie about one request. */
export interface ExpertLieContext extends LieContext {
  readonly requestId: string;
  readonly refCode: string;
  /** The expert's keys of this conversation. */
  readonly own: { readonly sign: string; readonly encrypt: string };
}

/** A lie to the expert, and its expected result. */
export interface ExpertRow
  extends ExpertSituation,
    ExpertExpectation,
    Pick<AgentExpectation, 'error' | 'after'> {
  readonly name: string;
  readonly lie: (context: ExpertLieContext) => Lie;
  /** Whether each message arrives only after the next one was sent. */
  readonly isDelayed?: boolean;
  /** Whether the expert reads only after all messages were sent. */
  readonly all?: boolean;
}
