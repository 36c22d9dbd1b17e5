// Receives what the notifier sends, and appends each to a file before it responds, so that a killed receiver has forgotten nothing.
// Run: node receiver.mjs <webhook | push | email | chat> <port> <file>
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';

const [kind, port, file = ''] = process.argv.slice(2);
const tried = new Set();
/** A failed attempt makes an endpoint slow, and a seed may have 10,000 deliveries. */
const faultyUntil = 300;
/** A part of the first deliveries is refused at the first attempt, and an equal part gets no response. People get fewer. */
const faultEvery = kind === 'webhook' ? 16 : 4;
/** What people get is answered late, so that faults come in the middle of it. */
const answerMs = kind === 'webhook' ? 0 : 250;

/**
 * Stores a delivery, unless it is refused. Resolves with how it is answered.
 * @param {{ id: string, body: string }} delivery
 */
async function receive(delivery) {
  const isNew = !tried.has(delivery.id) && tried.size < faultyUntil;
  tried.add(delivery.id);
  const fault = isNew ? ['', 'refuse', 'break off'][tried.size % faultEvery] : '';
  // The line break comes first: a part that a killed receiver has written does not spoil the next line.
  if (fault !== 'refuse') appendFileSync(file, `\n${JSON.stringify(delivery)}`);
  await pause(answerMs);
  return fault;
}

const http = createServer(async (request, response) => {
  const body = (await buffer(request)).toString();
  const {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
    topic,
  } = request.headers;
  const fault = await receive({ id: String(id ?? topic ?? body), ...{ timestamp, signature, body } });
  if (fault === 'break off') request.socket.destroy();
  else response.writeHead(fault === 'refuse' ? 503 : 204).end();
});

const email = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  async onData(stream, session, done) {
    const body = (await buffer(stream)).toString().replace(/=\r\n/g, '').replaceAll('=3D', '=');
    const fault = await receive({ id: /^Message-ID: (\S+)/im.exec(body)?.[1] ?? '', body });
    if (fault === 'break off') [...email.connections].find(({ id }) => id === session.id)?.close();
    else done(fault === 'refuse' ? Object.assign(new Error('later'), { responseCode: 451 }) : null);
  },
});
email.on('error', () => {});
(kind === 'email' ? email : http).listen(Number(port), '127.0.0.1');
