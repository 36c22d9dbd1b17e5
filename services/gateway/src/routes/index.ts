import type { EdgeRoute, KeyRule } from '../call/edge-call.ts';

const consumerInBody: KeyRule = { from: 'body', kinds: ['consumer'] };
const provider: KeyRule = { from: 'header', kinds: ['provider'] };
const either: KeyRule = { from: 'header', kinds: ['consumer', 'provider'] };
const eitherOrNone: KeyRule = { ...either, optional: true };

/**
 * All routes that clients can reach. Other paths are answered with 404, including the /internal routes of services. A path
 * without a pattern comes before patterns; of two patterns that match, the first one is used.
 */
export const routes: readonly EdgeRoute[] = [
  { method: 'GET', path: '/api/health', to: 'gateway' },
  { method: 'GET', path: '/.well-known/expert-relay', to: 'gateway' },
  { method: 'GET', path: '/api/openapi.json', to: 'gateway' },
  { method: 'GET', path: '/docs', to: 'gateway' },
  { method: 'GET', path: '/docs/style.css', to: 'gateway' },

  { method: 'POST', path: '/api/v1/help', to: 'requests', key: consumerInBody },
  { method: 'GET', path: '/api/v1/help/:requestId', to: 'requests', key: eitherOrNone, limit: 'poll' },
  { method: 'GET', path: '/api/v1/requests', to: 'requests', key: either },
  { method: 'GET', path: '/api/v1/requests/by-ref/:refCode', to: 'requests', key: either },
  { method: 'POST', path: '/api/v1/key-exchange/:requestId', to: 'requests', key: provider },
  { method: 'POST', path: '/api/v1/close/:requestId', to: 'requests', key: either },
  { method: 'GET', path: '/api/v1/whoami', to: 'requests', key: either },
  { method: 'POST', path: '/api/v1/stream-token', to: 'requests', key: either },
  { method: 'GET', path: '/api/v1/vault', to: 'requests', key: provider },
  { method: 'PUT', path: '/api/v1/vault', to: 'requests', key: provider },
  { method: 'POST', path: '/api/v1/message/:requestId', to: 'messages', key: either },
  { method: 'GET', path: '/api/v1/messages/:requestId', to: 'messages', key: either },
  { method: 'GET', path: '/api/v1/webhooks', to: 'notifier', key: either },
  { method: 'POST', path: '/api/v1/webhooks', to: 'notifier', key: either },
  { method: 'PUT', path: '/api/v1/webhooks/:webhookId', to: 'notifier', key: either },
  { method: 'DELETE', path: '/api/v1/webhooks/:webhookId', to: 'notifier', key: either },
  { method: 'POST', path: '/api/v1/webhooks/:webhookId/rotate', to: 'notifier', key: either },
  { method: 'POST', path: '/api/v1/webhooks/:webhookId/test', to: 'notifier', key: either },
  { method: 'GET', path: '/api/v1/webhooks/:webhookId/deliveries', to: 'notifier', key: either },
  {
    method: 'POST',
    path: '/api/v1/webhooks/:webhookId/deliveries/:deliveryId/resend',
    to: 'notifier',
    key: either,
  },

  { method: 'GET', path: '/', to: 'dashboard' },
  { method: 'GET', path: '/dashboard', to: 'dashboard' },
  // The files of the web app have no limit, since a page loads many of them once.
  { method: 'GET', path: '/dashboard/assets/*', to: 'dashboard', limit: 'none' },
  { method: 'GET', path: '/dashboard/icons/*', to: 'dashboard', limit: 'none' },
  { method: 'GET', path: '/dashboard/manifest.webmanifest', to: 'dashboard', limit: 'none' },
  { method: 'GET', path: '/dashboard/check-browser.js', to: 'dashboard', limit: 'none' },
  { method: 'GET', path: '/dashboard/service-worker.js', to: 'dashboard', limit: 'none' },
  { method: 'GET', path: '/favicon.ico', to: 'dashboard', limit: 'none' },
  { method: 'GET', path: '/dashboard/*', to: 'dashboard' },
  { method: 'GET', path: '/auth', to: 'dashboard' },
  { method: 'GET', path: '/auth/*', to: 'dashboard' },
  { method: 'POST', path: '/auth/*', to: 'dashboard' },
  { method: 'POST', path: '/logout', to: 'dashboard' },
  { method: 'GET', path: '/api/requests', to: 'dashboard' },
  { method: 'GET', path: '/api/requests/counts', to: 'dashboard' },
  { method: 'GET', path: '/api/requests/:id', to: 'dashboard' },
  { method: 'POST', path: '/api/requests/:id/key-exchange', to: 'dashboard' },
  { method: 'POST', path: '/api/requests/:id/messages', to: 'dashboard' },
  { method: 'POST', path: '/api/requests/:id/close', to: 'dashboard' },
  { method: 'GET', path: '/api/keys', to: 'dashboard' },
  { method: 'POST', path: '/api/keys', to: 'dashboard' },
  { method: 'PUT', path: '/api/keys/:id', to: 'dashboard' },
  { method: 'DELETE', path: '/api/keys/:id', to: 'dashboard' },
  { method: 'POST', path: '/api/keys/:id/rotate', to: 'dashboard' },
  { method: 'POST', path: '/api/stream-token', to: 'dashboard' },
  { method: 'GET', path: '/api/sessions', to: 'dashboard' },
  { method: 'DELETE', path: '/api/sessions', to: 'dashboard' },
  { method: 'DELETE', path: '/api/sessions/:id', to: 'dashboard' },
  { method: 'GET', path: '/api/identities', to: 'dashboard' },
  { method: 'POST', path: '/api/identities/:provider', to: 'dashboard' },
  { method: 'DELETE', path: '/api/identities/:provider', to: 'dashboard' },
  { method: 'GET', path: '/api/me', to: 'dashboard' },
  { method: 'GET', path: '/api/vault', to: 'dashboard' },
  { method: 'PUT', path: '/api/vault', to: 'dashboard' },
];
