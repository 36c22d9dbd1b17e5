import { encryptedContent, keyExchange, submission } from '../black-box/samples.ts';

export type CallerKind = 'consumer' | 'provider' | 'session' | 'anonymous';

/** One endpoint of the contract or the design. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Tests replace `:requestId`, `:refCode`, `:keyId`, `:sessionId`, `:webhookId` and `:channelId`. */
  readonly path: string;
  readonly auth: 'key in body' | 'key' | 'provider key' | 'optional key' | 'session' | 'none';
  /** The document that defines it. */
  readonly from: 'spec' | 'design';
  readonly success: number;
  /** A body that is accepted from this kind of caller, without the API key of a submit. */
  readonly body?: (caller: CallerKind) => Readonly<Record<string, unknown>>;
}

const message = (role: CallerKind) => ({ role, plaintext: 'Run the additive one first.' });
const topics = () => ({ topics: ['/svc/requests/:requestId'] });
const closing = () => ({ reason: 'The lock file is gone.' });
const chat = () => ({ kind: 'chat', url: 'http://127.0.0.1:9/chat' });
const webhook = () => ({ url: 'http://127.0.0.1:9/hook' });
const vault = () => ({ vault: { wrapped: 'q83vEjRWeJA=' } });

export const endpoints: readonly Endpoint[] = [
  { method: 'POST', path: '/api/v1/help', auth: 'key in body', from: 'spec', success: 201, body: submission },
  { method: 'GET', path: '/api/v1/requests/by-ref/:refCode', auth: 'key', from: 'spec', success: 200 },
  {
    method: 'POST',
    path: '/api/v1/key-exchange/:requestId',
    auth: 'provider key',
    from: 'spec',
    success: 200,
    body: keyExchange,
  },
  {
    method: 'POST',
    path: '/api/v1/message/:requestId',
    auth: 'key',
    from: 'spec',
    success: 201,
    body: message,
  },
  { method: 'GET', path: '/api/v1/messages/:requestId', auth: 'key', from: 'spec', success: 200 },
  {
    method: 'POST',
    path: '/api/v1/close/:requestId',
    auth: 'key',
    from: 'spec',
    success: 200,
    body: closing,
  },
  { method: 'GET', path: '/api/v1/help/:requestId', auth: 'optional key', from: 'spec', success: 200 },
  { method: 'GET', path: '/api/requests', auth: 'session', from: 'spec', success: 200 },
  { method: 'GET', path: '/api/requests/:requestId', auth: 'session', from: 'spec', success: 200 },
  { method: 'GET', path: '/api/keys', auth: 'session', from: 'spec', success: 200 },
  {
    method: 'POST',
    path: '/api/keys',
    auth: 'session',
    from: 'spec',
    success: 201,
    body: () => ({ name: 'laptop agent', kind: 'consumer' }),
  },
  { method: 'GET', path: '/api/health', auth: 'none', from: 'spec', success: 200 },

  { method: 'GET', path: '/.well-known/expert-relay', auth: 'none', from: 'design', success: 200 },
  { method: 'GET', path: '/api/v1/requests', auth: 'key', from: 'design', success: 200 },
  { method: 'GET', path: '/api/v1/whoami', auth: 'key', from: 'design', success: 200 },
  { method: 'POST', path: '/api/v1/stream-token', auth: 'key', from: 'design', success: 201, body: topics },
  { method: 'PUT', path: '/api/v1/vault', auth: 'provider key', from: 'design', success: 201, body: vault },
  { method: 'GET', path: '/api/v1/vault', auth: 'provider key', from: 'design', success: 200 },
  ...['/api/v1/webhooks', '/api/webhooks'].flatMap(webhookEndpoints),
  {
    method: 'POST',
    path: '/api/requests/:requestId/key-exchange',
    auth: 'session',
    from: 'design',
    success: 200,
    body: keyExchange,
  },
  {
    method: 'POST',
    path: '/api/requests/:requestId/messages',
    auth: 'session',
    from: 'design',
    success: 201,
    body: encryptedContent,
  },
  {
    method: 'POST',
    path: '/api/requests/:requestId/close',
    auth: 'session',
    from: 'design',
    success: 200,
    body: closing,
  },
  {
    method: 'PUT',
    path: '/api/keys/:keyId',
    auth: 'session',
    from: 'design',
    success: 200,
    body: () => ({ name: 'build agent' }),
  },
  {
    method: 'POST',
    path: '/api/keys/:keyId/rotate',
    auth: 'session',
    from: 'design',
    success: 200,
    body: () => ({ graceSeconds: 0 }),
  },
  { method: 'DELETE', path: '/api/keys/:keyId', auth: 'session', from: 'design', success: 204 },
  { method: 'POST', path: '/api/stream-token', auth: 'session', from: 'design', success: 201, body: topics },
  { method: 'GET', path: '/api/requests/counts', auth: 'session', from: 'design', success: 200 },
  ...channelEndpoints(),
  { method: 'GET', path: '/api/sessions', auth: 'session', from: 'design', success: 200 },
  { method: 'DELETE', path: '/api/sessions', auth: 'session', from: 'design', success: 204 },
  { method: 'DELETE', path: '/api/sessions/:sessionId', auth: 'session', from: 'design', success: 204 },
  { method: 'GET', path: '/api/identities', auth: 'session', from: 'design', success: 200 },
  { method: 'POST', path: '/api/identities/:provider', auth: 'session', from: 'design', success: 200 },
  // The users of these tests have no GitHub account.
  { method: 'DELETE', path: '/api/identities/:provider', auth: 'session', from: 'design', success: 404 },
  { method: 'GET', path: '/api/me', auth: 'session', from: 'design', success: 200 },
  { method: 'PUT', path: '/api/vault', auth: 'session', from: 'design', success: 201, body: vault },
  { method: 'GET', path: '/api/vault', auth: 'session', from: 'design', success: 200 },
];

/** The same webhooks with keys, and in the session API. */
function webhookEndpoints(path: string): Endpoint[] {
  const auth = path === '/api/webhooks' ? 'session' : 'key';
  const one = { path: `${path}/:webhookId`, auth, from: 'design' } as const;
  return [
    { ...one, method: 'GET', path, success: 200 },
    { ...one, method: 'POST', path, success: 201, body: webhook },
    { ...one, method: 'PUT', success: 200, body: () => ({ enabled: true }) },
    {
      ...one,
      method: 'POST',
      path: `${one.path}/rotate`,
      success: 200,
      body: () => ({ graceSeconds: 0 }),
    },
    { ...one, method: 'POST', path: `${one.path}/test`, success: 201 },
    { ...one, method: 'GET', path: `${one.path}/deliveries`, success: 200 },
    // Its deliveries have other ids.
    { ...one, method: 'POST', path: `${one.path}/deliveries/:deliveryId/resend`, success: 404 },
    { ...one, method: 'DELETE', success: 204 },
  ];
}

function channelEndpoints(): Endpoint[] {
  const all = { path: '/api/notifications', auth: 'session', from: 'design' } as const;
  const one = { ...all, path: `${all.path}/channels/:channelId` } as const;
  return [
    { ...all, method: 'GET', success: 200 },
    { ...all, method: 'PUT', success: 200, body: () => ({ pausedUntil: null }) },
    { ...all, method: 'POST', path: `${all.path}/channels`, success: 201, body: chat },
    { ...one, method: 'PUT', success: 200, body: () => ({ delaySeconds: 60 }) },
    { ...one, method: 'POST', path: `${one.path}/test`, success: 201 },
    { ...one, method: 'GET', path: `${one.path}/deliveries`, success: 200 },
    // It is the channel of a chat, which has nothing to confirm.
    { ...one, method: 'POST', path: `${one.path}/send-confirmation`, success: 404 },
    { ...one, method: 'POST', path: `${one.path}/confirm`, success: 404, body: () => ({ token: 'x' }) },
    { ...one, method: 'DELETE', success: 204 },
  ];
}

/** The kinds of callers that an endpoint accepts. */
export const callersOf = ({ auth }: Endpoint): readonly CallerKind[] => served[auth];

const served = {
  'key in body': ['consumer'],
  key: ['consumer', 'provider'],
  'provider key': ['provider'],
  'optional key': ['consumer', 'provider', 'anonymous'],
  session: ['session'],
  none: ['consumer', 'provider', 'session', 'anonymous'],
} as const satisfies Record<Endpoint['auth'], readonly CallerKind[]>;
