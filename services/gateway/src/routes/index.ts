import type { EdgeRoute } from '../call/edge-call.ts';
// Made by `npm run generate` from docs/openapi.yaml (`x-service`): scripts/steps/generate-openapi.ts.
import { apiRoutes } from '../generated/routes.ts';

/** What browsers open, and the files of the web app. */
const pages: readonly EdgeRoute[] = [
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
  { method: 'GET', path: '/auth/link', to: 'dashboard' },
  { method: 'POST', path: '/auth/link', to: 'dashboard' },
  { method: 'GET', path: '/auth/dev', to: 'dashboard' },
  { method: 'POST', path: '/auth/dev', to: 'dashboard' },
  { method: 'POST', path: '/logout', to: 'dashboard' },
  { method: 'GET', path: '/unsubscribe', to: 'dashboard' },
  { method: 'POST', path: '/unsubscribe', to: 'dashboard' },
];

/**
 * All routes that clients can reach. Other paths get 404, including the /internal routes of services. A path
 * without a pattern comes before patterns; of two patterns that match, the first one is used.
 */
export const routes: readonly EdgeRoute[] = [...apiRoutes, ...pages];
