import { othersOfEachKind, testLies } from './testing/lies/test-lies.ts';
import { checkAgentRow } from './testing/lies/to-agent/check-agent-row.ts';
import { liesToAgents } from './testing/lies/to-agent/index.ts';

// The others are in lies.test.ts.
testLies('to the agent', othersOfEachKind(liesToAgents), checkAgentRow);
