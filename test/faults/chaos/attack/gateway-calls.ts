import { hostileTexts } from '@expert-relay/testkit';
import { encryptedContent, keyExchange, submission } from '../../../black-box/samples.ts';
import type { Random } from '../../plan/random.ts';
import { mutateBody } from './bodies.ts';
import { type Call, type Header, makeCall } from './call.ts';
import type { Knowledge } from './connection.ts';
import { drawKey, keyHeaders, sessionHeaders } from './credentials.ts';

/* Made once, because key pairs are expensive to make and the relay accepts them again. */
const sampleSubmission = submission();
const sampleExchange = keyExchange();
const sampleEncrypted = encryptedContent();

type Body = (random: Random, knowledge: Knowledge) => Record<string, unknown>;

interface Endpoint {
  readonly method: string;
  /** `:id`, `:ref` and `:key` are replaced. */
  readonly path: string;
  readonly auth: 'key in body' | 'consumer' | 'provider' | 'session' | 'none';
  readonly body?: Body;
}

/** For the pages and terminals of experts; here it shows that services pass it on. */
const drawText = (random: Random): string =>
  random.chance(0.5) ? random.pick(hostileTexts) : 'x'.repeat(random.integer(1, 3_000));
const message: Body = (random) => ({
  role: random.pick(['consumer', 'provider']),
  ...(random.chance(0.5) ? sampleEncrypted : { plaintext: drawText(random) }),
  ...(random.chance(0.3) ? { messageId: random.uuid() } : {}),
});
const exchange: Body = () => sampleExchange;
const vault: Body = () => ({ vault: { wrapped: 'q83vEjRWeJA=' } });
const topics: Body = (random, { userId, requestIds }) => ({
  topics: [`/svc/requests/${random.pick(requestIds)}`, `/svc/providers/${userId}`],
});

/** All routes of the gateway, and a few paths without a route. */
const endpoints: readonly Endpoint[] = [
  { method: 'GET', path: '/api/health', auth: 'none' },
  { method: 'GET', path: '/.well-known/expert-relay', auth: 'none' },
  { method: 'GET', path: '/api/openapi.json', auth: 'none' },
  {
    method: 'POST',
    path: '/api/v1/help',
    auth: 'key in body',
    body: (random, { consumerKeys }) => ({
      ...sampleSubmission,
      apiKey: drawKey(random, consumerKeys),
      question: drawText(random),
    }),
  },
  { method: 'GET', path: '/api/v1/help/:id', auth: 'consumer' },
  { method: 'GET', path: '/api/v1/requests', auth: 'provider' },
  { method: 'GET', path: '/api/v1/requests/by-ref/:ref', auth: 'consumer' },
  { method: 'POST', path: '/api/v1/key-exchange/:id', auth: 'provider', body: exchange },
  { method: 'POST', path: '/api/v1/close/:id', auth: 'consumer', body: () => ({}) },
  { method: 'GET', path: '/api/v1/whoami', auth: 'consumer' },
  { method: 'POST', path: '/api/v1/stream-token', auth: 'consumer', body: topics },
  { method: 'GET', path: '/api/v1/vault', auth: 'provider' },
  { method: 'PUT', path: '/api/v1/vault', auth: 'provider', body: vault },
  { method: 'POST', path: '/api/v1/message/:id', auth: 'consumer', body: message },
  { method: 'POST', path: '/api/v1/message/:id', auth: 'provider', body: message },
  { method: 'GET', path: '/api/v1/messages/:id', auth: 'consumer' },
  { method: 'GET', path: '/', auth: 'session' },
  { method: 'GET', path: '/dashboard', auth: 'session' },
  { method: 'GET', path: '/dashboard/requests', auth: 'session' },
  { method: 'GET', path: '/dashboard/assets/unknown-:id.js', auth: 'none' },
  { method: 'GET', path: '/auth/login', auth: 'session' },
  { method: 'GET', path: '/auth/github/callback', auth: 'session' },
  // Without the cookie: signing in or out with it would end the session of the other connections.
  { method: 'POST', path: '/auth/dev', auth: 'none', body: () => ({ user: 'mallory' }) },
  { method: 'POST', path: '/logout', auth: 'none' },
  { method: 'GET', path: '/api/requests', auth: 'session' },
  { method: 'GET', path: '/api/requests/:id', auth: 'session' },
  { method: 'POST', path: '/api/requests/:id/key-exchange', auth: 'session', body: exchange },
  { method: 'POST', path: '/api/requests/:id/messages', auth: 'session', body: message },
  { method: 'POST', path: '/api/requests/:id/close', auth: 'session', body: () => ({}) },
  { method: 'GET', path: '/api/keys', auth: 'session' },
  { method: 'PUT', path: '/api/keys/:key', auth: 'session', body: () => ({ name: 'renamed' }) },
  { method: 'POST', path: '/api/keys/:key/rotate', auth: 'session', body: () => ({ graceSeconds: 0 }) },
  { method: 'DELETE', path: '/api/keys/:key', auth: 'session' },
  { method: 'POST', path: '/api/stream-token', auth: 'session', body: topics },
  { method: 'GET', path: '/api/me', auth: 'session' },
  { method: 'GET', path: '/api/vault', auth: 'session' },
  { method: 'PUT', path: '/api/vault', auth: 'session', body: vault },
  { method: 'GET', path: '/internal/requests', auth: 'none' },
  { method: 'GET', path: '/metrics', auth: 'none' },
  { method: 'POST', path: '/nowhere', auth: 'none', body: () => ({ a: 1 }) },
];

/* The large conversation is read by `listLargeConversation` only. */
const idOf = (random: Random, { requestIds }: Knowledge): string =>
  random.chance(0.7)
    ? random.pick(requestIds.slice(1))
    : random.pick(['x', '%00', '..', `${random.uuid()}`, 'A'.repeat(22)]);

/** A call whose credential and body may be invalid. */
export function drawGatewayCall(random: Random, knowledge: Knowledge): Call {
  const { method, path, auth, body } = random.pick(endpoints);
  const target = path
    .replace(':id', idOf(random, knowledge))
    .replace(':ref', random.pick(knowledge.refCodes))
    .replace(':key', random.uuid());
  const headers: Header[] = [['host', knowledge.gatewayHost]];
  if (auth === 'consumer') headers.push(...keyHeaders(random, knowledge.consumerKeys));
  if (auth === 'provider') headers.push(...keyHeaders(random, knowledge.providerKeys));
  if (auth === 'session') headers.push(...sessionHeaders(random, knowledge));
  if (body) headers.push(['content-type', 'application/json']);
  if (body && random.chance(0.1)) headers.push(['idempotency-key', random.uuid()]);
  const query = random.chance(0.1)
    ? `?after=${random.integer(-1, 50)}&limit=${random.pick(['1', '0', 'x', '1e9'])}`
    : '';
  return makeCall(method, target + query, headers, body && mutateBody(random, body(random, knowledge)));
}

/** The list of a conversation of many megabytes, with any of the keys that may read it. */
export function listLargeConversation(
  random: Random,
  { gatewayHost, consumerKeys, providerKeys, requestIds }: Knowledge,
): Call {
  const headers: Header[] = [
    ['host', gatewayHost],
    ['x-api-key', random.pick([...consumerKeys.slice(0, 1), ...providerKeys])],
  ];
  return makeCall('GET', `/api/v1/messages/${requestIds[0]}`, headers);
}
