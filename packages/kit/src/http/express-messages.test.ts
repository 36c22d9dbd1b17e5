import { expect, test } from '@jest/globals';
import { bareApp } from './bare-app.ts';
import { createHttpServer } from './create-http-server.ts';

test('an app gets messages that are born as its own, with all of its methods', async () => {
  const app = bareApp();
  const prototypes: unknown[] = [];
  app.get('/', (request, response) => {
    prototypes.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response));
    response.status(201).json({ host: request.get('host'), path: request.path, same: request.app === app });
  });
  const born: unknown[] = [];
  const server = createHttpServer({
    handler: app,
    host: '127.0.0.1',
    port: 0,
    prepare: (server) =>
      server.prependListener('request', (request, response) =>
        born.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response)),
      ),
  });
  await server.start?.();
  const answer = await fetch(server.url);
  await server.stop?.();

  expect(answer.status).toBe(201);
  expect(await answer.json()).toEqual({ host: new URL(server.url).host, path: '/', same: true });
  expect(prototypes[0]).toBe(born[0]);
  expect(prototypes[1]).toBe(born[1]);
});
