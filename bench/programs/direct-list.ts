import { answerCommands } from './answer-commands.ts';
import { openPool } from './open-pool.ts';
import { queryMessages } from './query-messages.ts';
import { repeat } from './repeat.ts';

const pool = openPool();

answerCommands({ run: repeat(() => queryMessages(pool)) });
