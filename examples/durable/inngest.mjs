// An agent on Inngest that asks an expert and sleeps until the relay's webhook wakes it up: no process waits.
// First, `relay webhooks add https://agent.example.com/relay` prints the secret. Run, with RELAY_URL, RELAY_API_KEY, RELAY_EXPERT and
// RELAY_AGENT_SECRET set: WEBHOOK_SECRET=whsec_... PORT=9080 node examples/durable/inngest.mjs
// The relay calls /relay, and Inngest calls /api/inngest.
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { createRelay, RelayError } from '@expert-relay/sdk';
import { Inngest } from 'inngest';
import { serve } from 'inngest/node';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

const { WEBHOOK_SECRET: secret = '', PORT: port } = process.env;
const webhook = new Webhook(secret);
const relay = createRelay();
export const inngest = new Inngest({ id: 'agent' });

/** Asks once for each run, however often the step is repeated. */
async function ask(/** @type {string} */ once, /** @type {string} */ question) {
  const { requestId } = await relay.ask({ question, form: { type: 'object', properties: {} }, once });
  return requestId;
}

/** The decision, if there is one: an expert can also write without deciding. */
async function read(/** @type {string} */ once, /** @type {string} */ question) {
  try {
    const { approved, comment } = await relay.approve(question, { once, timeoutMs: 5_000 });
    return { approved, comment };
  } catch (error) {
    if (RelayError.is(error, 'timeout')) return null;
    throw error;
  }
}

export const deploy = inngest.createFunction(
  { id: 'deploy', triggers: { event: 'deploy/requested' } },
  async ({ event, step }) => {
    const { version } = event.data;
    const [once, question] = [`deploy ${version}`, `Deploy ${version}?`];
    const requestId = await step.run('ask', () => ask(once, question));
    for (let round = 1; ; round += 1) {
      // An event from before the step began would be missed: so it reads every hour, too.
      await step.waitForEvent(`answer ${round}`, {
        event: 'relay/answered',
        if: `async.data.requestId == "${requestId}"`,
        timeout: '1h',
      });
      const decision = await step.run(`read ${round}`, () => read(once, question));
      if (decision) return decision.approved ? `Deployed ${version}.` : `Declined: ${decision.comment}`;
    }
  },
);

const functions = serve({ client: inngest, functions: [deploy] });

export const server = createServer(async (request, response) => {
  if (request.url !== '/relay') return functions(request, response);
  try {
    const body = await buffer(request);
    const event = webhook.verify(body.toString(), /** @type {any} */ (request.headers));
    const { type, data } = /** @type {{ type: string, data: { requestId: string } }} */ (event);
    if (type === 'message.created') await inngest.send({ name: 'relay/answered', data });
    response.writeHead(204).end();
  } catch (error) {
    // What Inngest did not take is sent again.
    response.writeHead(error instanceof WebhookVerificationError ? 401 : 503).end();
  }
});
if (port) server.listen(Number(port));
