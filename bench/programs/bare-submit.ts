import { answerCommands } from './answer-commands.ts';
import { insertSubmission } from './insert-submission.ts';
import { openPool } from './open-pool.ts';
import { readText } from './read-text.ts';
import { sendJson } from './send-json.ts';
import { serve } from './serve.ts';

const pool = openPool();

/** Node's HTTP and node-postgres, nothing checked: what the same submit costs over HTTP at the least. */
serve(async (request, response) => {
  const { rows } = await insertSubmission(pool, JSON.parse(await readText(request)));
  const { id, ref_code, expires_at } = rows[0];
  const body = { requestId: id, refCode: `HS-${ref_code}`, status: 'pending', expiresAt: expires_at };
  sendJson(response, 201, JSON.stringify(body));
});
answerCommands();
