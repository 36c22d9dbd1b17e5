// An agent on Restate that asks an expert and sleeps until the relay's webhook wakes it up: no process waits.
// First, `relay webhooks add <Restate's ingress>/webhooks/relay/send` prints the secret. Run, with RELAY_URL, RELAY_API_KEY, RELAY_EXPERT
// and RELAY_AGENT_SECRET set: WEBHOOK_SECRET=whsec_... PORT=9080 node examples/durable/restate.mjs (Node 22)
// Then `restate deployments register http://localhost:9080`.
import { createRelay, RelayError } from '@expert-relay/sdk';
import * as restate from '@restatedev/restate-sdk';
import { Webhook } from 'standardwebhooks';

const { WEBHOOK_SECRET: secret = '', PORT: port = '9080' } = process.env;
const webhook = new Webhook(secret);
const relay = createRelay();

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
    if (RelayError.is(error, 'timeout')) return undefined;
    throw error;
  }
}

/** By the id of a request: which run sleeps for it, or that it was answered before. */
const answers = restate.object({
  name: 'answers',
  handlers: {
    async sleep(/** @type {restate.ObjectContext} */ context, /** @type {string} */ awakeable) {
      if (await context.get('isAnswered')) context.resolveAwakeable(awakeable);
      else context.set('awakeable', awakeable);
      context.clear('isAnswered');
    },
    async wake(/** @type {restate.ObjectContext} */ context) {
      const awakeable = /** @type {string | null} */ (await context.get('awakeable'));
      if (awakeable === null) return context.set('isAnswered', true);
      context.clear('awakeable');
      context.resolveAwakeable(awakeable);
    },
  },
});

const deploys = restate.service({
  name: 'deploys',
  handlers: {
    async deploy(/** @type {restate.Context} */ context, /** @type {string} */ version) {
      const [once, question] = [`deploy ${version}`, `Deploy ${version}?`];
      const requestId = await context.run('ask', () => ask(once, question));
      for (;;) {
        const { id, promise } = context.awakeable();
        context.objectSendClient(answers, requestId).sleep(id);
        await promise;
        const decision = await context.run('read', () => read(once, question));
        if (decision) return decision.approved ? `Deployed ${version}.` : `Declined: ${decision.comment}`;
      }
    },
  },
});

const webhooks = restate.service({
  name: 'webhooks',
  handlers: {
    relay: restate.handlers.handler(
      { input: restate.serde.binary, accept: 'application/json' },
      async (context, body) => {
        const { type, data } = verify(body, Object.fromEntries(context.request().headers));
        if (type === 'message.created') context.objectSendClient(answers, data.requestId).wake();
      },
    ),
  },
});

/** @returns {{ type: string, data: { requestId: string } }} */
function verify(/** @type {Uint8Array} */ body, /** @type {Record<string, string>} */ headers) {
  try {
    return /** @type {any} */ (webhook.verify(Buffer.from(body).toString(), headers));
  } catch {
    throw new restate.TerminalError('The relay has not signed this.', { errorCode: 401 });
  }
}

await restate.serve({ services: [deploys, answers, webhooks], port: Number(port) });
