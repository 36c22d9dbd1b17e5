import { expect, test } from '@jest/globals';
import { routes } from '../routes/index.ts';
import { createRouteFinder } from './route-finder.ts';

const find = createRouteFinder(routes);

test.each([
  ['/api/v1/help', '/api/v1/help', 'POST, OPTIONS'],
  ['/api/v1/help/abc', '/api/v1/help/:requestId', 'GET, HEAD, OPTIONS'],
  ['/api/v1/requests/by-ref/HS-1', '/api/v1/requests/by-ref/:refCode', 'GET, HEAD, OPTIONS'],
  ['/api/v1/vault', '/api/v1/vault', 'GET, HEAD, PUT, OPTIONS'],
  ['/api/keys/1', '/api/keys/:keyId', 'PUT, DELETE, OPTIONS'],
  ['/api/requests/1/close', '/api/requests/:requestId/close', 'POST, OPTIONS'],
  ['/dashboard/assets/a.js', '/dashboard/assets/*', 'GET, HEAD, OPTIONS'],
  ['/dashboard/requests/1', '/dashboard/*', 'GET, HEAD, OPTIONS'],
  ['/auth/login', '/auth/*', 'GET, HEAD, OPTIONS'],
  ['/auth/link', '/auth/link', 'GET, HEAD, POST, OPTIONS'],
])('%s has the route %s', (path, template, allow) => {
  expect(find(path)).toMatchObject({ template, allow });
});

test.each([
  '/api/v1/help/',
  '/api/v1/help/a/b',
  '/api/v1/messages',
  '/api/v1/unknown',
  '/API/v1/help',
  '/api/requests/1/2/close',
  '/dashboardx',
  '/authx',
  '/internal/keys',
  '/internal/stream-token',
  '/internal/revocations',
])('%s is not found', (path) => {
  expect(find(path)).toBeUndefined();
});

test('a GET route answers HEAD', () => {
  const path = find('/api/v1/whoami');
  expect(path?.byMethod.get('HEAD')).toBe(path?.byMethod.get('GET'));
});

test('no internal path is reachable, and each v1 path except the poll requires a key', () => {
  expect(routes.filter(({ path }) => path.includes('internal'))).toEqual([]);
  const open = routes.filter(({ path, key }) => path.startsWith('/api/v1/') && (!key || key.optional));
  expect(open.map(({ path }) => path)).toEqual(['/api/v1/help/:requestId']);
});
