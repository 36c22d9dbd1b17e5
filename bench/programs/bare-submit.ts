import { answerCommands } from './answer-commands.ts';
import { insertSubmission, openPool } from './bare-queries.ts';
import { readText, sendJson, serve } from './bare-server.ts';

const pool = openPool();

/** A submit with only Node's HTTP and node-postgres, without any check. */
serve(async (request, response) => {
  const { rows } = await insertSubmission(pool, JSON.parse(await readText(request)));
  const { id, ref_code, expires_at } = rows[0];
  const body = { requestId: id, refCode: `HS-${ref_code}`, status: 'pending', expiresAt: expires_at };
  sendJson(response, 201, JSON.stringify(body));
});
answerCommands();
