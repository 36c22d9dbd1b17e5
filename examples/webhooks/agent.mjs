// A serverless agent: it asks, ends, and continues when it is called. `ask` and `handle` are two calls of a function, and
// nothing runs between them; what they share is in STATE_FOLDER, in place of a database. Run:
// RELAY_URL=... RELAY_API_KEY=hs_... STATE_FOLDER=./state node examples/webhooks/agent.mjs ask "May I remove the lock file?"
// WEBHOOK_SECRET=whsec_... (and the same) node examples/webhooks/agent.mjs handle '{"webhook-id": ...}' '{"type": ...}'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRelay } from '@expert-relay/sdk';
import { Webhook } from 'standardwebhooks';

const { WEBHOOK_SECRET: secret = '' } = process.env;
const folder = process.env.STATE_FOLDER ?? 'state';
const stateOf = (/** @type {string} */ requestId) => join(folder, `${requestId}.json`);
const relay = createRelay();

async function ask(/** @type {string} */ question) {
  const conversation = await relay.ask({ question });
  mkdirSync(folder, { recursive: true });
  // It contains the keys of the conversation.
  writeFileSync(stateOf(conversation.requestId), JSON.stringify(conversation.export()), { mode: 0o600 });
  console.log(`Asked as ${conversation.refCode}, and ended.`);
}

async function handle(/** @type {Record<string, string>} */ headers, /** @type {string} */ body) {
  const event = new Webhook(secret).verify(body, headers);
  const { type, data } = /** @type {{ type: string, data: { requestId: string } }} */ (event);
  if (type === 'keys.exchanged') console.log('An expert has picked it up.');
  if (type !== 'message.created') return;
  // The event says that there is an answer. The answer itself is read and verified here.
  const conversation = await relay.resume(JSON.parse(readFileSync(stateOf(data.requestId), 'utf8')));
  const answer = await conversation.waitForAnswer({ timeoutMs: 20_000 });
  console.log(`The answer is: ${answer.text}`);
  await conversation.close();
}

const [, , command, first = '', second = ''] = process.argv;
if (command === 'ask') await ask(first);
else if (command === 'handle') await handle(JSON.parse(first), second);
else console.error('Say ask or handle.');
relay.stop();
