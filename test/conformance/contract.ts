/*
 * The tables of the contract as data. `decisions` are the design's answers to what the contract leaves open. At least one
 * test has each row in its title, by `row('limits', 'request body')`; contract.test.ts checks this.
 */
export const contract = {
  events: {
    new_request: 'POST /api/v1/help publishes {type, refCode, question} on the provider topic',
    new_message:
      'POST /api/v1/message/:requestId publishes {type, role, messageId} on the request topic, once per message',
    key_exchange: 'a pick-up publishes {type, refCode} on the request topic',
    request_closed: 'POST /api/v1/close/:requestId publishes {type, refCode} on the request topic',
  },
  errors: {
    '400': 'submit: missing required fields',
    '401': 'invalid API key (prefix wrong)',
    '413': 'a request body larger than 1 MB',
    '429': 'rate limit exceeded, with Retry-After: 60',
  },
  limits: {
    'request body': '1 MB at most, larger yields 413',
    'messages kept': 'the last 10 of a submit',
    'conversation lifetime': '72 hours, then it expires automatically',
    'general pages': '60 requests a minute per IP',
    'API v1': '30 requests a minute per IP',
    'legacy polling': '20 requests a minute per IP',
  },
  authentication: {
    'consumer, submit': 'API key in body field apiKey, prefix hs_',
    'consumer and provider, other v1 calls': 'header x-api-key',
    'provider, key exchange': 'header x-api-key with prefix hs_prov_',
    'provider, dashboard API': 'session cookie',
    'poll endpoint': 'header x-api-key optional',
    pages: '/dashboard redirects to /auth/login without a session, /auth/* to /dashboard with one',
    CORS: 'configured origins only, the five methods, the three headers, 86400 seconds',
    'security headers': 'five headers on every response',
  },
  decisions: {
    'who gets new_request': 'the user who owns the consumer key',
    'who may touch a request': 'the consumer key that made it, any provider key and session of its user',
    'required at submit': 'apiKey, messages and both public keys; with plaintext, both keys may be missing',
    prefixes: 'hs_prov_ is matched before hs_; a key of the wrong kind is 401',
    'key format': 'prefix, 32 base62 characters, 6 characters of CRC32; shown in full once',
    requestId: '128 random bits, URL-safe',
    refCode: 'HS- and 8 characters of Crockford base32; the lookup ignores case',
    statuses: 'pending -> responded -> closed or expired; closed and expired are final',
    'key exchange': 'keys are set once: the same keys again are 200, other keys are 409',
    'public keys': 'exactly one SPKI block of the right algorithm; no private key, no low-order point',
    message: 'the role matches the key; one form or both; a repeated message returns the first result',
    'bodies of key exchange, send, close': 'requestId, refCode, status and the members of each action',
    'finer points of messages': 'empty members, null, incomplete forms and invalid text',
    'messages list': 'the request, its keys and all messages in order; after and limit select a part',
    poll: 'only the state; a key is optional, but must be valid and have access',
    'ended conversation': 'send and key exchange are 409, reading is still possible',
    "expiry's event": 'request_closed; on the activity topic with the reason',
    'list by key': "a provider key lists its user's requests, a consumer key its own",
    errors: 'application/problem+json with a stable code; unknown fields are ignored',
    'unknown or foreign request': 'identical 404',
    idempotency: 'the same submit again returns the first response, another body is 422',
    'rate limits': 'per IP address; only the most specific limit counts',
    'hub authorisation': 'a credential must be valid and cover every topic',
    'stream tokens': 'for covered topics; 5 minutes to connect; revocation and sign-out end the streams',
    "dashboard's live list": "every event of the provider's requests, with its requestId",
    'who am I': 'any key gets its {kind, name, userId, topics}',
    'session API': 'the v1 actions for a session, and keys, vault, stream token and me',
    'cross-site': 'a state-changing call from a foreign page is 403; only JSON; HttpOnly, SameSite=Lax',
    'who may sign in': 'a user is identified by (provider, subject)',
    health: '200 ok while the edge can serve',
  },
} as const;

export type Contract = typeof contract;

/** The title of a test of a row. */
export function row<T extends keyof Contract>(table: T, name: keyof Contract[T] & string): string {
  return `${table} · ${name}: ${contract[table][name]}`;
}

/** The contract's HTTP endpoints, and what each asks of its callers. */
export const contractEndpoints = {
  'POST /api/v1/help': 'key in body',
  'GET /api/v1/requests/by-ref/:refCode': 'key',
  'POST /api/v1/key-exchange/:requestId': 'provider key',
  'POST /api/v1/message/:requestId': 'key',
  'GET /api/v1/messages/:requestId': 'key',
  'POST /api/v1/close/:requestId': 'key',
  'GET /api/v1/help/:requestId': 'optional key',
  'GET /api/requests': 'session',
  'GET /api/requests/:requestId': 'session',
  'GET /api/keys': 'session',
  'POST /api/keys': 'session',
  'GET /api/health': 'none',
} as const;
