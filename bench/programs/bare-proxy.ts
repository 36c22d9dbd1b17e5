import { createHash, createHmac, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { answerCommands } from './answer-commands.ts';
import { serve } from './bare-server.ts';

const agent = new Agent({ keepAlive: true });
const port = Number(process.env.BENCH_UPSTREAM_PORT);
const hasDuties = process.env.BENCH_DUTIES === 'true';

/** The least that Node needs to forward a call. */
serve((incoming, response) => {
  const { method, url: path } = incoming;
  const headers = hasDuties ? doDuties(incoming, response) : incoming.headers;
  const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  incoming.pipe(outgoing);
});

const log = createWriteStream('/dev/null');
const secret = 'k'.repeat(32);
const known = new Map<string, { userId: string; keyId: string }>();
const buckets = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000];
const counts = new Map<string, number[]>();
/** Those of the contract, of rate limits and of CORS. */
const ownHeaders = Object.entries({
  'strict-transport-security': 'max-age=31536000',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'self'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'origin-when-cross-origin',
  'cache-control': 'no-store',
  vary: 'Origin',
  ratelimit: '"api";r=29;t=60',
  'ratelimit-policy': '"api";q=30;w=60',
});

/**
 * What the contract asks of a gateway, in its shortest form: a look-up of the key's digest, a signed principal, an id, the headers of
 * the answer, a line in the log, and a histogram.
 */
function doDuties(
  incoming: IncomingMessage,
  response: ServerResponse,
): Record<string, string | string[] | undefined> {
  const began = performance.now();
  const digest = createHash('sha256').update(String(incoming.headers['x-api-key'])).digest('base64url');
  const user = known.get(digest) ?? { userId: randomUUID(), keyId: randomUUID() };
  known.set(digest, user);
  const callId = randomUUID();
  const principal = Buffer.from(
    JSON.stringify({
      ...user,
      kind: 'consumer',
      method: incoming.method,
      path: incoming.url,
      at: Date.now(),
      callId,
    }),
  ).toString('base64url');
  const mac = createHmac('sha256', secret).update(principal).digest('base64url');
  for (const [name, value] of ownHeaders) response.setHeader(name, value);
  response.setHeader('x-request-id', callId);
  response.once('finish', () => {
    const ms = performance.now() - began;
    const route = `${incoming.method} ${incoming.url} ${response.statusCode}`;
    const histogram = counts.get(route) ?? buckets.map(() => 0);
    counts.set(route, histogram);
    for (const [index, limit] of buckets.entries())
      if (ms <= limit) histogram[index] = (histogram[index] ?? 0) + 1;
    log.write(`${JSON.stringify({ level: 'info', at: Date.now(), callId, route, ms, ...user })}\n`);
  });
  return { ...incoming.headers, 'x-request-id': callId, 'relay-principal': `${principal}.${mac}` };
}

answerCommands();
