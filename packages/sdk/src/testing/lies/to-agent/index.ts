import { lieOf, readLies } from '@expert-relay/testkit/lies';
import { aboutMessagesOf } from '../to-both/about-messages.ts';
import { aboutAnswers } from './about-answers.ts';
import { aboutEvents } from './about-events.ts';
import type { AgentLieContext, AgentRow } from './agent-row.ts';

const valuesOf = ({ attackerKeys, otherConversation, earlier }: AgentLieContext) => ({
  attacker: attackerKeys,
  other: otherConversation,
  earlier,
});

export const liesToAgents: readonly AgentRow[] = [
  ...readLies('agent').map(({ name, situation, expect, alter }) => ({
    name,
    ...situation,
    ...expect,
    lie: (context: AgentLieContext) => lieOf(alter, valuesOf(context)),
  })),
  ...aboutMessagesOf('provider'),
  ...aboutAnswers,
  ...aboutEvents,
];
