import { oneOfEachKind, testLies } from './testing/lies/test-lies.ts';
import { checkAgentRow } from './testing/lies/to-agent/check-agent-row.ts';
import { liesToAgents } from './testing/lies/to-agent/index.ts';
import { checkExpertRow } from './testing/lies/to-expert/check-expert-row.ts';
import { liesToExperts } from './testing/lies/to-expert/index.ts';
import { useTestServer } from './testing/use-test-server.ts';

/* One lie of each kind to each side, for every change. The others are in lies-to-agents.test.ts and lies-to-experts.test.ts. */

const server = useTestServer();
testLies('to the agent', oneOfEachKind(liesToAgents), checkAgentRow, server);
testLies('to the expert', oneOfEachKind(liesToExperts), checkExpertRow, server);
