// Runs the function of examples/durable/inngest.mjs in Inngest's test engine, up to the step that waits for an event: version 1.0 of this
// engine cannot end such a step with Inngest 4.24. Then, in place of Inngest's server, it receives the event that the example sends, and
// refuses one about the request `refused`.
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { InngestTestEngine } from '@inngest/test';

/** @type {(event: object) => void} */
let deliver = () => {};
const event = new Promise((resolve) => {
  deliver = resolve;
});
const events = createServer(async (request, response) => {
  const [sent] = /** @type {any[]} */ (await json(request));
  response.setHeader('content-type', 'application/json');
  // The SDK repeats by itself what was answered with 5xx.
  if (sent.data.requestId === 'refused')
    return response.writeHead(400).end('{"error":"refused","status":400}');
  deliver(sent);
  response.end('{"ids":["1"],"status":200}');
});
await new Promise((resolve) => events.listen(0, '127.0.0.1', () => resolve(undefined)));
const { port } = /** @type {import('node:net').AddressInfo} */ (events.address());
process.env.INNGEST_BASE_URL = `http://127.0.0.1:${port}`;
process.env.INNGEST_EVENT_KEY = 'test';

const { deploy } = await import('./inngest.mjs');
const engine = new InngestTestEngine({
  function: deploy,
  events: [{ name: 'deploy/requested', data: { version: '4711' } }],
});
const { ctx } = await engine.executeStep('answer 1');
const [[, waitsFor]] = /** @type {any} */ (ctx.step.waitForEvent).mock.calls;
process.stdout.write(JSON.stringify({ waitsFor, event: await event }));
process.exit();
