import { answerCommands } from './answer-commands.ts';
import { openPool, queryMessages } from './bare-queries.ts';
import { sendJson, serve } from './bare-server.ts';

const pool = openPool();

/** A list with only Node's HTTP and node-postgres. */
serve(async (_request, response) => {
  const { rows } = await queryMessages(pool);
  sendJson(response, 200, JSON.stringify({ messages: rows }));
});
answerCommands();
