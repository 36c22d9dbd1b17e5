/*
 * The tables of the contract and what the design settled where the contract is silent, as data. Each row is
 * named by at least one test: `row('limits', 'request body')` in its title. contract.test.ts counts.
 */
export const contract = {
  events: {
    new_request: 'POST /api/v1/help tells the provider topic {type, refCode, question}',
    new_message:
      'POST /api/v1/message/:requestId tells the request topic {type, role, messageId}, once per message',
    key_exchange: 'a pick-up tells the request topic {type, refCode}',
    request_closed: 'POST /api/v1/close/:requestId tells the request topic {type, refCode}',
  },
  errors: {
    '400': 'submit: missing required fields',
    '401': 'invalid API key (prefix wrong)',
    '413': 'request body larger than 1 MB',
    '429': 'rate limit exceeded, with Retry-After: 60',
  },
  limits: {
    'request body': '1 MB at most, larger yields 413',
    'messages kept': 'the last 10 of a submit',
    'conversation lifetime': '72 hours, then it expires by itself',
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
    pages: 'without a session to /auth/login, with one from /auth/* to /dashboard',
    CORS: 'configured origins only, the five methods, the three headers, 86400 seconds',
    'security headers': 'five of them, on every answer',
  },
  decisions: {
    'who gets new_request': 'the user who owns the consumer key',
    'who may touch a request': 'the consumer key that made it, any provider key and session of its user',
    'required at submit': 'apiKey, messages, both public keys; with plaintext the keys may both be absent',
    prefixes: 'hs_prov_ is matched before hs_; a key of the other kind is 401',
    'key format': 'prefix, 32 base62 characters, 6 of CRC32; shown once; rotation keeps the identity',
    requestId: '128 random bits, URL-safe',
    refCode: 'HS- and 8 characters of Crockford base32, found in any case',
    statuses: 'pending -> responded -> closed or expired; nothing leaves an end',
    'key exchange': 'write-once: the same keys again 200, other keys 409',
    'public keys': 'exactly one SPKI block of the right algorithm, no private key, no low-order point',
    message: 'the role matches the key; either form or both; a repeated one gives the first result',
    'bodies of key exchange, send, close': 'requestId, refCode, status and what belongs to each',
    'finer points of messages': 'what is empty, null, half a form or no text',
    'messages list': 'the request, its keys and all messages in order; after and limit narrow it',
    poll: 'state only; a key that is presented must be valid and belong',
    'ended conversation': 'send and key exchange are 409, reading goes on',
    "expiry's event": 'request_closed; the activity topic adds the reason',
    'list by key': "a provider key sees its user's requests, a consumer key its own",
    errors: 'application/problem+json with a stable code; unknown fields are ignored',
    'unknown or foreign request': '404, identical',
    idempotency: 'the same submit again gives the first answer again, another body 422',
    'rate limits': 'per IP, the most specific one alone counts',
    'hub authorisation': 'a presented credential must be valid and cover every topic',
    'stream tokens': 'for covered topics, 5 minutes to connect, ended by revocation and sign-out',
    "dashboard's live list": "every event of the provider's requests with its requestId",
    'who am I': '{kind, name, userId, topics} of any key',
    'session API': 'the v1 actions for a session, and keys, vault, stream token, me',
    'cross-site': 'a state-changing call from a foreign page is 403; JSON only; HttpOnly, SameSite=Lax',
    'who may sign in': 'identity is (provider, subject)',
    health: '200 ok while the edge can serve',
  },
} as const;

export type Contract = typeof contract;

/** The title of a test that holds the product to a row. */
export function row<T extends keyof Contract>(table: T, name: keyof Contract[T] & string): string {
  return `${table} · ${name}: ${contract[table][name]}`;
}
