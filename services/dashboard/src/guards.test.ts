import { bareApp, createHttpServer, handleErrors } from '@expert-relay/kit/http';
import { createLog } from '@expert-relay/kit/log';
import { expect, test } from '@jest/globals';
import { requireOwnHost, requireSameOrigin } from './guards.ts';

/** The error code with which a relay with this public URL answers a call. */
async function errorOf(
  publicUrl: string,
  { method = 'POST', ...headers }: Record<string, string>,
): Promise<string | undefined> {
  const app = bareApp();
  app.use(requireOwnHost(publicUrl), requireSameOrigin(publicUrl));
  app.use((_request, response) => void response.json({}));
  app.use(handleErrors(createLog('test', { level: 'silent' })));
  const server = createHttpServer({ handler: app, host: '127.0.0.1', port: 0 });
  await server.start?.();
  try {
    const response = await fetch(server.url, { method, headers });
    return ((await response.json()) as { error?: string }).error;
  } finally {
    await server.stop?.();
  }
}

const deployed = 'https://relay.example';
const local = 'http://127.0.0.1:8080';

test.each([
  [deployed, 'relay.example', deployed, undefined],
  [deployed, 'relay.example', 'https://evil.example', 'foreign_origin'],
  [deployed, 'evil.example', 'https://evil.example', 'foreign_origin'],
  // For a deployed relay, the reverse proxy in front of it checks the host.
  [deployed, 'inside.example', deployed, undefined],
  [deployed, 'localhost:8080', 'https://localhost:8080', 'foreign_origin'],
  [local, '127.0.0.1:8080', local, undefined],
  [local, 'localhost:8080', 'http://localhost:8080', undefined],
  [local, '[::1]:8080', 'http://[::1]:8080', undefined],
  [local, 'localhost:8080', 'https://localhost:8080', 'foreign_origin'],
  [local, 'localhost:8080', 'http://localhost:9000', 'foreign_origin'],
  [local, 'localhost:9000', 'http://localhost:9000', 'foreign_host'],
  [local, 'evil.example:8080', 'http://evil.example:8080', 'foreign_host'],
  [local, 'evil.example:8080', local, 'foreign_host'],
  [local, '', local, 'foreign_host'],
])('%s, called as %j by a page of %s: %s', async (publicUrl, host, origin, error) => {
  expect(await errorOf(publicUrl, { 'x-forwarded-host': host, origin })).toBe(error);
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s by a page of another site is refused', async (method) => {
  for (const foreign of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
    expect(await errorOf(deployed, { method, ...foreign })).toBe('foreign_origin');
  expect(
    await errorOf(deployed, { method, origin: deployed, 'sec-fetch-site': 'same-origin' }),
  ).toBeUndefined();
});

test('a call that only reads needs no origin, but on a local run the right host', async () => {
  const read = (publicUrl: string, host: string) =>
    errorOf(publicUrl, { method: 'GET', 'x-forwarded-host': host, origin: 'https://evil.example' });
  expect(await read(deployed, 'evil.example')).toBeUndefined();
  expect(await read(local, 'localhost:8080')).toBeUndefined();
  expect(await read(local, 'evil.example:8080')).toBe('foreign_host');
});
