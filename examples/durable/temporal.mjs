// An agent on Temporal that asks an expert and sleeps until the relay's webhook wakes it up: no process waits for the expert.
// First, `relay webhooks add https://agent.example.com/` prints the secret. Run, with RELAY_URL, RELAY_API_KEY, RELAY_EXPERT and
// RELAY_AGENT_SECRET set: WEBHOOK_SECRET=whsec_... node examples/durable/temporal.mjs
// Then `temporal workflow start --type deploy --task-queue agent --input '"4711"'`.
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createRelay, RelayError } from '@expert-relay/sdk';
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

const { WEBHOOK_SECRET: secret = '', PORT: port = '9080', TEMPORAL_ADDRESS: address } = process.env;
const webhook = new Webhook(secret);
const relay = createRelay();

/** @typedef {typeof activities} Activities */
const activities = {
  /** Asks once for each run, however often the activity is repeated. */
  async ask(/** @type {string} */ once, /** @type {string} */ question) {
    const { requestId } = await relay.ask({ question, form: { type: 'object', properties: {} }, once });
    return requestId;
  },
  /** The decision, if there is one: an expert can also write without deciding. */
  async read(/** @type {string} */ once, /** @type {string} */ question) {
    try {
      const { approved, comment } = await relay.approve(question, { once, timeoutMs: 5_000 });
      return { approved, comment };
    } catch (error) {
      if (RelayError.is(error, 'timeout')) return undefined;
      throw error;
    }
  },
};

const worker = await Worker.create({
  connection: await NativeConnection.connect({ ...(address && { address }) }),
  taskQueue: 'agent',
  workflowsPath: fileURLToPath(new URL('temporal/workflows.mjs', import.meta.url)),
  activities,
});
const client = new Client({ connection: await Connection.connect({ ...(address && { address }) }) });

createServer(async (request, response) => {
  try {
    const body = await buffer(request);
    const event = webhook.verify(body.toString(), /** @type {any} */ (request.headers));
    const { type, data } = /** @type {{ type: string, data: { requestId: string } }} */ (event);
    if (type === 'message.created') await wake(data.requestId);
    response.writeHead(204).end();
  } catch (error) {
    // The relay repeats what Temporal did not take.
    response.writeHead(error instanceof WebhookVerificationError ? 401 : 503).end();
  }
}).listen(Number(port));

async function wake(/** @type {string} */ requestId) {
  try {
    await client.workflow.getHandle(requestId).signal('answered');
  } catch (error) {
    // Another program has asked, or the workflow has its decision, or will read it when it begins.
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

await worker.run();
