// Calls a relay with the types of openapi-typescript (relay.ts, which typescript-client.test.ts writes into the same folder).
import createClient from 'openapi-fetch';
import type { components, paths } from './relay.ts';

const {
  RELAY_URL: baseUrl = '',
  CONSUMER_KEY: consumerKey = '',
  PROVIDER_KEY: providerKey = '',
} = process.env;
const agent = createClient<paths>({ baseUrl, headers: { 'x-api-key': consumerKey } });
const expert = createClient<paths>({ baseUrl, headers: { 'x-api-key': providerKey } });

type Problem = components['schemas']['Problem'];

/** The body of a successful answer; fails for an error. */
async function ok<T>(call: Promise<{ data?: T; error?: Problem; response: Response }>): Promise<T> {
  const { data, error, response } = await call;
  if (error || data === undefined) throw new Error(`${response.status} ${JSON.stringify(error)}`);
  return data;
}

const submission: components['schemas']['Submission'] = {
  apiKey: consumerKey,
  messages: [{ role: 'user', content: 'The deploy hangs.' }],
  question: 'May I remove the lock file?',
  plaintext: 'The deploy hangs. May I remove the lock file?',
};
const { requestId, refCode } = await ok(agent.POST('/api/v1/help', { body: submission }));
const path = { requestId };

const found = await ok(expert.GET('/api/v1/requests/by-ref/{refCode}', { params: { path: { refCode } } }));
const keys = {
  providerSignPubKey: process.env.SIGN_PUBLIC_KEY ?? '',
  providerEncryptPubKey: process.env.ENCRYPT_PUBLIC_KEY ?? '',
};
await ok(expert.POST('/api/v1/key-exchange/{requestId}', { params: { path }, body: keys }));
const sent = await ok(
  expert.POST('/api/v1/message/{requestId}', {
    params: { path },
    body: { role: 'provider', plaintext: 'Yes, it is stale.' },
  }),
);
const polled = await ok(agent.GET('/api/v1/help/{requestId}', { params: { path } }));
const list = await ok(
  agent.GET('/api/v1/messages/{requestId}', { params: { path, query: { after: 0, limit: 10 } } }),
);
const requests = await ok(agent.GET('/api/v1/requests', { params: { query: { status: 'responded' } } }));
const topics = [`/svc/requests/${requestId}`];
const { token } = await ok(agent.POST('/api/v1/stream-token', { body: { topics } }));
const me = await ok(expert.GET('/api/v1/whoami'));
const closed = await ok(agent.POST('/api/v1/close/{requestId}', { params: { path } }));
const { error } = await expert.POST('/api/v1/message/{requestId}', {
  params: { path },
  body: { role: 'provider', plaintext: 'Too late.' },
});

// A body must be one of the variants.
// @ts-expect-error: neither keys nor a text
export const bare: components['schemas']['Submission'] = { apiKey: consumerKey, messages: [] };
// @ts-expect-error: a blob without its signature
export const unsigned: components['schemas']['NewMessage'] = {
  role: 'provider',
  encrypted: { iv: '', ciphertext: '', tag: '', ephemeralPublicKey: '' },
};

process.stdout.write(
  JSON.stringify({
    found: found.status,
    sent: sent.status,
    polled: polled.responseCount,
    texts: list.messages.map(({ plaintext }) => plaintext),
    listed: requests.requests.map((request) => request.refCode === refCode),
    token: token.split('.').length,
    kind: me.kind,
    closed: closed.status,
    error: error?.error,
  }),
);
