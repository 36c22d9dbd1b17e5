// Receives webhooks, checks their signatures, and prints each event once. Run:
// WEBHOOK_SECRET=whsec_... PORT=9876 node examples/webhooks/receiver.mjs
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

const { WEBHOOK_SECRET: secret = '', PORT: port = '9876' } = process.env;
const webhook = new Webhook(secret);
// A server that runs for longer keeps the ids of the last four days, in its database.
const handled = new Set();

const server = createServer(async (request, response) => {
  try {
    // The signature is over the bytes as they arrived.
    const body = await buffer(request);
    const event = webhook.verify(body.toString(), request.headers);
    const id = request.headers['webhook-id'];
    if (!handled.has(id)) console.log(JSON.stringify(event));
    handled.add(id);
    response.writeHead(204).end();
  } catch (error) {
    // What could not be handled is sent again.
    response.writeHead(error instanceof WebhookVerificationError ? 401 : 500).end();
  }
});
server.listen(Number(port), '127.0.0.1', () => console.error('Receiving.'));
