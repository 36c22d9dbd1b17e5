import { hostileTexts } from '@expert-relay/testkit';
import { operations } from '../../../black-box/document.ts';
import { sampleBodies } from '../../../black-box/sample-bodies.ts';
import { encryptedContent, keyExchange, submission } from '../../../black-box/samples.ts';
import type { Random } from '../../plan/random.ts';
import { mutateBody } from './bodies.ts';
import { type Call, type Header, makeCall } from './call.ts';
import type { Knowledge } from './connection.ts';
import { drawKey, keyHeaders, sessionHeaders } from './credentials.ts';

type Body = (random: Random, knowledge: Knowledge) => Record<string, unknown>;

interface Endpoint {
  readonly method: string;
  /** Its parameters, such as `:requestId`, are replaced. */
  readonly path: string;
  /** As in docs/openapi.yaml: a call uses one of them. */
  readonly security: readonly object[];
  readonly body?: Body;
}

/** For the pages and terminals of experts; here it shows that services pass it on. */
const drawText = (random: Random): string =>
  random.chance(0.5) ? random.pick(hostileTexts) : 'x'.repeat(random.integer(1, 3_000));
// Made once, because key pairs are expensive to make and the relay accepts them again.
const sampleSubmission = submission();
const sampleExchange = keyExchange();
const sampleEncrypted = encryptedContent();
const message: Body = (random) => ({
  role: random.pick(['consumer', 'provider']),
  ...(random.chance(0.5) ? sampleEncrypted : { plaintext: drawText(random) }),
  ...(random.chance(0.3) ? { messageId: random.uuid() } : {}),
});
const topics: Body = (random, { userId, requestIds }) => ({
  topics: [`/svc/requests/${random.pick(requestIds)}`, `/svc/providers/${userId}`],
});

/** Bodies that need more than a sample, by `operationId`. */
const bodies: Readonly<Record<string, Body>> = {
  submitHelp: (random, { consumerKeys }) => ({
    ...sampleSubmission,
    apiKey: drawKey(random, consumerKeys),
    question: drawText(random),
  }),
  exchangeKeys: () => sampleExchange,
  sessionExchangeKeys: () => sampleExchange,
  sendMessage: message,
  sessionSendMessage: message,
  createStreamToken: topics,
  sessionCreateStreamToken: topics,
  signInDev: () => ({ user: 'mallory' }),
};

/** These would end the session of the other connections. */
const excluded = ['endSessions', 'endSession', 'signOut'];

const documented = operations
  .filter(({ operationId }) => !excluded.includes(operationId))
  .map(({ operationId, method, path, security }): Endpoint => {
    const sample = sampleBodies[operationId];
    const body = bodies[operationId] ?? (sample && (() => sample('provider')));
    return { method, path: path.replace(/\{(\w+)\}/g, ':$1'), security, ...(body && { body }) };
  });

/** All calls of docs/openapi.yaml, and paths without a route. */
const endpoints: readonly Endpoint[] = [
  ...documented,
  { method: 'GET', path: '/dashboard/assets/unknown-:requestId.js', security: [] },
  { method: 'POST', path: '/logout', security: [] },
  { method: 'GET', path: '/internal/requests', security: [] },
  { method: 'GET', path: '/metrics', security: [] },
  { method: 'POST', path: '/nowhere', security: [], body: () => ({ a: 1 }) },
];

/* The large conversation is read by `listLargeConversation` only. */
const idOf = (random: Random, { requestIds }: Knowledge): string =>
  random.chance(0.7)
    ? random.pick(requestIds.slice(1))
    : random.pick(['x', '%00', '..', `${random.uuid()}`, 'A'.repeat(22)]);

/** A call whose credential and body may be invalid. */
export function drawGatewayCall(random: Random, knowledge: Knowledge): Call {
  const { method, path, security, body } = random.pick(endpoints);
  const target = path
    .replace(':requestId', idOf(random, knowledge))
    .replace(':refCode', random.pick(knowledge.refCodes))
    .replace(/:\w+/g, () => random.uuid());
  const headers: Header[] = [['host', knowledge.gatewayHost]];
  const scheme = Object.keys(security.length > 0 ? random.pick(security) : {})[0];
  if (scheme === 'consumerKey') headers.push(...keyHeaders(random, knowledge.consumerKeys));
  if (scheme === 'providerKey') headers.push(...keyHeaders(random, knowledge.providerKeys));
  if (scheme === 'session') headers.push(...sessionHeaders(random, knowledge));
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
