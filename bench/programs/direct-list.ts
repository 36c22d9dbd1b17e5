import { answerCommands } from './answer-commands.ts';
import { openPool, queryMessages } from './bare-queries.ts';
import { repeat } from './timed-run.ts';

const pool = openPool();

answerCommands({ run: repeat(() => queryMessages(pool)) });
