import { describe, expect, test } from '@jest/globals';
import { checkResponse } from '../black-box/check-response.ts';
import { rawResponse } from '../black-box/raw-response.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { row } from './contract.ts';

const setup = useRelay();

describe(row('decisions', 'errors'), () => {
  test('an error has a code, a sentence, a link and the wrong fields', async () => {
    const response = await setup.alice.consumer.submit({ messages: null });
    expect(response.headers['content-type']).toBe('application/problem+json');
    expect(response.json).toEqual({
      type: expect.stringMatching(/docs\/errors\.md#invalid_request$/),
      title: 'The request is not valid',
      status: 400,
      detail: expect.stringMatching(/\.$/),
      error: 'invalid_request',
      fields: [{ path: 'messages', code: 'required', message: 'This member is required.' }],
    });
  });

  test('missing and null members have the code required', async () => {
    const required = (path: string) => ({ path, code: 'required', message: 'This member is required.' });
    const { session } = setup.alice;
    for (const body of [{}, { name: null, kind: null }]) {
      const { fields } = (await session.post('/api/keys', body)).json;
      expect(fields).toEqual([required('name'), required('kind')]);
    }
    expect((await session.put('/api/vault', {})).json.fields).toEqual([required('vault')]);
  });

  test('unknown fields are ignored', async () => {
    const { requestId } = await setup.alice.consumer.newRequest({ unknown: { deep: [1] } });
    const message = {
      role: 'provider',
      plaintext: 'x',
      unknown: null,
      requestId: 'another',
      userId: setup.bob.userId,
    };
    expect((await setup.alice.provider.post(`/api/v1/message/${requestId}`, message)).status).toBe(201);
    expect((await setup.alice.consumer.get('/api/v1/requests?unknown=1')).status).toBe(200);
  });

  test('every response has a new x-request-id, even if the caller sent one', async () => {
    const given = '11111111-1111-4111-8111-111111111111';
    const ids = [
      await setup.relay.anonymous.get('/api/health', { 'x-request-id': given }),
      await setup.relay.anonymous.get('/nowhere', { 'x-request-id': given }),
    ].map(({ headers }) => headers['x-request-id']);
    expect(new Set([...ids, given]).size).toBe(3);
  });
});

describe('malformed HTTP', () => {
  test.each([
    ['a text', 'hello\r\n\r\n'],
    ['no Host', 'GET /api/health HTTP/1.1\r\nconnection: close\r\n\r\n'],
    ['two Hosts', 'GET /api/health HTTP/1.1\r\nhost: a\r\nhost: b\r\nconnection: close\r\n\r\n'],
    [
      'two lengths',
      'POST /api/v1/help HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}',
    ],
    [
      'a length and chunks',
      'POST /api/v1/help HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'an unknown transfer coding',
      'POST /api/v1/help HTTP/1.1\r\nhost: a\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a negative length', 'POST /api/v1/help HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n'],
    [
      'a bad chunk',
      'POST /api/v1/help HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
    ],
    ['a space before a colon', 'GET /api/health HTTP/1.1\r\nhost : a\r\n\r\n'],
    ['a bare line feed in a header', 'GET /api/health HTTP/1.1\r\nhost: a\r\nx: a\nb\r\n\r\n'],
    ['NUL in a header', 'GET /api/health HTTP/1.1\r\nhost: a\r\nx: a\0b\r\n\r\n'],
  ])('%s: 400', async (_name, bytes) => {
    const { status, headers, text } = await rawResponse(setup.relay.url, bytes);
    expect(status).toBe(400);
    expect(headers['content-type']).toBe('application/problem+json');
    expect(JSON.parse(text)).toMatchObject({ error: 'invalid_request' });
  });

  test('a head of more than 16 KiB: 431', async () => {
    const { status, text } = await rawResponse(
      setup.relay.url,
      `GET /api/health HTTP/1.1\r\nhost: a\r\n${'x-padding: of a few bytes\r\n'.repeat(1_000)}\r\n`,
    );
    expect(status).toBe(431);
    expect(JSON.parse(text)).toMatchObject({ error: 'headers_too_large' });
  });

  test('a head that arrives too slowly: 408, as documented', async () => {
    const post = { method: 'POST', path: '/api/v1/help' };
    const head = 'POST /api/v1/help HTTP/1.1\r\nhost: a\r\nx: ';
    const { text, ...rest } = await rawResponse(setup.relay.url, head, { drip: 'a', timeoutMs: 25_000 });
    const response = { ...rest, text, json: JSON.parse(text) };
    expect(response.status).toBe(408);
    expect(response.json).toMatchObject({ error: 'request_timeout' });
    expect(checkResponse(post, response)).toEqual([]);
  });

  test('the relay is not a proxy: CONNECT is 405', async () => {
    const connect = 'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n';
    expect((await rawResponse(setup.relay.url, connect)).status).toBe(405);
  });

  test.each([
    ['http://example.com/api/v1/whoami', 'example.com', 401],
    ['HTTP://Example.com:8080/api/v1/whoami?a=b', 'example.com:8080', 401],
    ['https://example.com/api/v1/whoami', 'example.com', 401],
    ['http://example.com/api/v1/whoami', 'other.example', 404],
    ['http://example.com@other.example/api/v1/whoami', 'other.example', 404],
    ['http://example.com//api/v1/whoami', 'example.com', 404],
    ['ftp://example.com/api/v1/whoami', 'example.com', 404],
    ['http:///api/v1/whoami', '', 404],
  ])('the target %s with the host %s: %d', async (target, host, expected) => {
    const call = `GET ${target} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`;
    expect((await rawResponse(setup.relay.url, call)).status).toBe(expected);
  });
});

test('headers in which a caller claims to be another user are ignored', async () => {
  const { requestId } = await setup.alice.consumer.newRequest();
  for (const name of ['x-relay-principal', 'x-forwarded-user', 'x-user-id', 'x-relay-call-id']) {
    const response = await setup.bob.consumer.get(`/api/v1/messages/${requestId}`, {
      [name]: setup.alice.userId,
    });
    expect(response.status).toBe(404);
  }
});
