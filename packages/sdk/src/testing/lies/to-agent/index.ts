import { aboutAnswers } from './about-answers.ts';
import { aboutEvents } from './about-events.ts';
import { aboutKeys } from './about-keys.ts';
import { aboutMessages } from './about-messages.ts';
import { aboutQuestion } from './about-question.ts';
import type { AgentRow } from './agent-row.ts';
import { malformedMessages } from './malformed-messages.ts';

export const liesToAgents: readonly AgentRow[] = [
  ...aboutKeys,
  ...aboutQuestion,
  ...aboutMessages,
  ...malformedMessages,
  ...aboutAnswers,
  ...aboutEvents,
];
