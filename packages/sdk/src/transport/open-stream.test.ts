import { expect, test } from '@jest/globals';
import type { Api } from './api.ts';
import { createHubAddress } from './open-stream.ts';

const signal = new AbortController().signal;

/** A gateway at `url` that names `hubUrl` as the address of its hub. */
function gateway(url: string, hubUrl: unknown): Api {
  const get: Api['get'] = async (_path, read) => read({ hubUrl }, new Headers());
  return { url, get } as Api;
}

test.each([
  ['http://localhost:8080', 'http://localhost:8090/'],
  ['http://localhost:8080', 'https://hub.example/'],
  ['https://relay.example', 'https://hub.example/'],
])('a gateway at %s may name a hub at %s', async (url, hubUrl) => {
  expect((await createHubAddress(gateway(url, hubUrl), {})(signal)).href).toBe(hubUrl);
});

test.each([
  ['https://relay.example', 'http://hub.example/'],
  ['https://relay.example', 'ws://hub.example/'],
  ['http://localhost:8080', 'hub'],
  ['http://localhost:8080', undefined],
  ['http://localhost:8080', 'http://ada:secret@hub.example/'],
])('a gateway at %s may not name a hub at %s, where no key is sent', async (url, hubUrl) => {
  await expect(createHubAddress(gateway(url, hubUrl), {})(signal)).rejects.toMatchObject({
    reason: 'unexpected_answer',
  });
});

test('the option `hubUrl` is used unchanged', async () => {
  const hubUrl = 'http://127.0.0.1:8090/';
  expect((await createHubAddress(gateway('https://relay.example', 'hub'), { hubUrl })(signal)).href).toBe(
    hubUrl,
  );
});
