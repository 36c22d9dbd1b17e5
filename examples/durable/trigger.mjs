// An agent on Trigger.dev that asks an expert and sleeps until the relay's webhook wakes it up: no process waits. `deploy` is a task
// of the project, whose environment has RELAY_URL, RELAY_API_KEY, RELAY_EXPERT and RELAY_AGENT_SECRET. `POST` is a route of your web
// app, with WEBHOOK_SECRET: `relay webhooks add https://app.example.com/relay` prints it.
import { createRelay, RelayError } from '@expert-relay/sdk';
import { task, wait } from '@trigger.dev/sdk';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

/** The token of a request: with the same key, both sides get the same one. */
const tokenOf = (/** @type {string} */ requestId) =>
  wait.createToken({ idempotencyKey: `relay-${requestId}`, timeout: '73h' });

export const deploy = task({
  id: 'deploy',
  async run(/** @type {{ version: string }} */ { version }) {
    const relay = createRelay();
    const [once, question] = [`deploy ${version}`, `Deploy ${version}?`];
    try {
      // With a name it is asked once, also when the task is started again.
      const form = /** @type {const} */ ({ type: 'object', properties: {} });
      const { requestId } = await relay.ask({ question, form, once });
      await wait.forToken(await tokenOf(requestId));
      for (;;) {
        const decision = await read(relay, once, question);
        if (decision) return decision.approved ? `Deployed ${version}.` : `Declined: ${decision.comment}`;
        // The expert has written without deciding, and the token is used up.
        await wait.for({ minutes: 5 });
      }
    } finally {
      relay.stop();
    }
  },
});

/** The decision, if there is one. */
async function read(
  /** @type {import('@expert-relay/sdk').Relay} */ relay,
  /** @type {string} */ once,
  /** @type {string} */ question,
) {
  try {
    return await relay.approve(question, { once, timeoutMs: 5_000 });
  } catch (error) {
    if (RelayError.is(error, 'timeout')) return undefined;
    throw error;
  }
}

/** A route handler, as Next.js and others have it. */
export async function POST(/** @type {Request} */ request) {
  const webhook = new Webhook(process.env.WEBHOOK_SECRET ?? '');
  try {
    const event = webhook.verify(await request.text(), Object.fromEntries(request.headers));
    const { type, data } = /** @type {{ type: string, data: { requestId: string } }} */ (event);
    if (type === 'message.created') await wait.completeToken(await tokenOf(data.requestId), {});
    return new Response(null, { status: 204 });
  } catch (error) {
    // What Trigger.dev did not take is sent again.
    return new Response(null, { status: error instanceof WebhookVerificationError ? 401 : 503 });
  }
}
