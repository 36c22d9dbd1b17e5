import { createServer } from 'node:http';
import { expect, test } from '@jest/globals';
import { listen } from './create-http-server.ts';
import { expressMessages } from './express-messages.ts';
import { bareApp } from './serve-routes.ts';

test('requests and responses are created with the prototypes of the app, and have all of its methods', async () => {
  const app = bareApp();
  const prototypes: unknown[] = [];
  app.get('/', (request, response) => {
    prototypes.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response));
    response.status(201).json({ host: request.get('host'), path: request.path, same: request.app === app });
  });
  const created: unknown[] = [];
  const server = createServer(expressMessages(app), (request, response) => {
    created.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response));
    app(request, response);
  });
  const url = await listen(server, '127.0.0.1', 0);
  const response = await fetch(url);
  server.close();

  expect(response.status).toBe(201);
  expect(await response.json()).toEqual({ host: new URL(url).host, path: '/', same: true });
  expect(prototypes[0]).toBe(created[0]);
  expect(prototypes[1]).toBe(created[1]);
});
