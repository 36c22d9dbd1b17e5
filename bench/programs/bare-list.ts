import { answerCommands } from './answer-commands.ts';
import { openPool } from './open-pool.ts';
import { queryMessages } from './query-messages.ts';
import { sendJson } from './send-json.ts';
import { serve } from './serve.ts';

const pool = openPool();

/** Node's HTTP and node-postgres: the rows as JSON, as they come. */
serve(async (_request, response) => {
  const { rows } = await queryMessages(pool);
  sendJson(response, 200, JSON.stringify({ messages: rows }));
});
answerCommands();
