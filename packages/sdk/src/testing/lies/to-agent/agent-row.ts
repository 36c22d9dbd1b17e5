import type { Lie } from '@expert-relay/testkit';
import type { AgentExpectation, AgentSituation } from '@expert-relay/testkit/lies';
import type { LieContext } from '../lie-context.ts';

/** A lie to the agent, and its expected result. */
export interface AgentRow extends AgentSituation, AgentExpectation {
  readonly name: string;
  readonly lie: (context: AgentLieContext) => Lie;
  /** Whether each message arrives only after the next one was sent. */
  readonly isDelayed?: boolean;
}

/** The data for a lie. */
export interface AgentLieContext extends LieContext {
  /** The request of a question that the agent asked before. */
  readonly earlier?: { readonly requestId: string; readonly refCode: string } | undefined;
}
