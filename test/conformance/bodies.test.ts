import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { useRelay } from '../black-box/use-relay.ts';
import { row } from './contract.ts';
import { createResources, credentialOf, endpointCall, type ResourceIds } from './endpoint-call.ts';
import { callersOf, type Endpoint, endpoints } from './endpoints.ts';

const setup = useRelay();
const withBody = endpoints.filter(({ body }) => body);
const limit = 1_048_576;

/** Shared by all tests, because refused calls change nothing. */
let ids: ResourceIds;
beforeAll(async () => {
  ids = await createResources(setup.alice);
});

/** Calls an endpoint with a valid credential and the given body. */
async function send(
  endpoint: Endpoint,
  body: string | Buffer | AsyncIterable<Buffer>,
  headers: Record<string, string> = {},
) {
  const kind = callersOf(endpoint)[0] ?? 'anonymous';
  const call = endpointCall(endpoint, ids, credentialOf(setup.alice, kind));
  return setup.relay.call({ ...call, body, headers: { ...call.headers, ...headers } });
}

/** Bodies that are not a JSON object, or that two parsers would read differently. */
const invalidJson: Record<string, string | Buffer> = {
  'an empty text': ' ',
  'half an object': '{"a":1',
  'two objects': '{}{}',
  'a trailing comma': '{"a":1,}',
  'a comment': '{/**/"a":1}',
  'single quotes': "{'a':1}",
  NaN: '{"a":NaN}',
  'a list': '[]',
  'a list of an object': '[{}]',
  null: 'null',
  'a text': '"x"',
  'a number': '7',
  'a byte order mark': '\ufeff{}',
  'UTF-16': Buffer.from('{"a":1}', 'utf16le'),
  'bytes that are not UTF-8': Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
  'a surrogate encoded in UTF-8': Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]),
  'a repeated member': '{"a":1,"a":1}',
  'a repeated member in an inner object': '{"a":{"b":1,"b":2}}',
  'a repeated member, once with an escape': '{"a":1,"\\u0061":2}',
  'a repeated apiKey': '{"apiKey":"x","apiKey":"y"}',
  __proto__: '{"__proto__":{"isAdmin":true}}',
  '__proto__ in an inner object': '{"a":[{"__proto__":null}]}',
  '33 levels': `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`,
  '100,000 levels': '['.repeat(100_000),
  '100,000 levels, all closed': `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
};

/** The gateway reads every body before it knows the route: the whole table for a call with a key and for one with a session. */
const [withKey, withSession] = [
  withBody.find(({ auth }) => auth !== 'session'),
  withBody.find(({ auth }) => auth === 'session'),
] as [Endpoint, Endpoint];

test.each(withBody)('$method $path takes only JSON, and no more than 1 MiB', async (endpoint) => {
  const responses = [
    await send(endpoint, '{"a":1'),
    await send(endpoint, '{"a":1}', { 'content-type': 'text/plain' }),
    await send(endpoint, sizedBody(limit + 1)),
  ];
  expect(responses.map(({ status }) => status)).toEqual([400, 415, 413]);
});

describe.each([withKey, withSession])('$method $path', (endpoint) => {
  test.each(Object.entries(invalidJson))('%s: 400 invalid_json', async (_name, body) => {
    const response = await send(endpoint, body);
    expect(response.status).toBe(400);
    expect(response.json.error).toBe('invalid_json');
  });

  test.each([
    ['NUL in a text', '{"a":"\\u0000"}', 'nul_character'],
    ['NUL in the name of a member', '{"\\u0000":1}', 'nul_character'],
    ['a lone high surrogate', '{"a":"\\ud800"}', 'lone_surrogate'],
    ['a lone low surrogate', '{"a":"\\udc00x"}', 'lone_surrogate'],
  ])('%s: 400 with its own error code', async (_name, body, code) => {
    const response = await send(endpoint, body);
    expect(response.status).toBe(400);
    expect(response.json.error).toBe(code);
  });

  test.each([
    ['no content type', { 'content-type': '' }],
    ['text/plain', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['another charset', { 'content-type': 'application/json; charset=latin1' }],
    ['application/jsonx', { 'content-type': 'application/jsonx' }],
    ['a compressed body', { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
    ['two encodings', { 'content-type': 'application/json', 'content-encoding': 'identity, gzip' }],
  ])('%s: 415', async (_name, headers) => {
    const response = await send(endpoint, '{"a":1}', headers);
    expect(response.status).toBe(415);
    expect(response.json.error).toBe('unsupported_media_type');
  });

  test.each(['identity', 'Identity', ' identity '])(
    'the encoding %j is none, and is accepted',
    async (encoding) => {
      const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
      const { status } = await send(endpoint, '{}', headers);
      expect([200, 400]).toContain(status);
    },
  );

  test('each spelling of the content type for JSON in UTF-8 is accepted', async () => {
    for (const type of [
      'application/json; charset=utf-8',
      'Application/JSON;charset="UTF-8"',
      'application/json ',
    ]) {
      const { status } = await send(endpoint, '{}', { 'content-type': type });
      expect([200, 400]).toContain(status);
    }
  });

  test(row('errors', '413'), async () => {
    for (const body of [sizedBody(limit + 1), chunked(sizedBody(limit + 1))]) {
      const response = await send(endpoint, body);
      expect(response.status).toBe(413);
      expect(response.json.error).toBe('payload_too_large');
    }
  });
});

describe(row('limits', 'request body'), () => {
  const [submit] = endpoints;
  const sized = (size: number) => {
    const body = JSON.stringify({
      apiKey: setup.alice.consumer.key,
      messages: [],
      plaintext: 'x',
      padding: '',
    });
    return Buffer.from(body.replace('"padding":""', `"padding":"${'x'.repeat(size - body.length)}"`));
  };
  const post = (body: Buffer | AsyncIterable<Buffer>) =>
    setup.relay.call({
      method: 'POST',
      path: submit?.path ?? '',
      headers: { 'content-type': 'application/json' },
      body,
    });

  test('1,048,576 bytes are accepted, with Content-Length and in chunks', async () => {
    expect((await post(sized(limit))).status).toBe(201);
    expect((await post(chunked(sized(limit)))).status).toBe(201);
  });

  test('1,048,577 bytes are 413, with Content-Length and in chunks', async () => {
    expect((await post(sized(limit + 1))).status).toBe(413);
    expect((await post(chunked(sized(limit + 1)))).status).toBe(413);
  });

  test('a call with a too large body is not executed, even if it needs no body', async () => {
    const { requestId } = await setup.alice.consumer.newRequest();
    const state = async () => (await setup.alice.consumer.get(`/api/v1/help/${requestId}`)).json.status;
    let before = '';
    async function* tooMuch() {
      yield Buffer.alloc(limit, 32);
      await pause(300);
      before = await state();
      yield Buffer.alloc(1, 32);
    }
    const { headers } = setup.alice.consumer;
    const response = await setup.relay.call({
      method: 'POST',
      path: `/api/v1/close/${requestId}`,
      headers,
      body: tooMuch(),
    });
    expect([response.status, before, await state()]).toEqual([413, 'pending', 'pending']);
  });

  test('an endless body is refused before it ends', async () => {
    let sent = 0;
    async function* endless() {
      for (; sent < 1_000 * 65_536; sent += 65_536) yield Buffer.alloc(65_536, 32);
    }
    expect((await post(endless())).status).toBe(413);
    expect(sent).toBeLessThan(900 * 65_536);
  });

  test('a message or a question of 900,000 characters is accepted', async () => {
    const long = 'x'.repeat(900_000);
    const { requestId } = await setup.alice.consumer.newRequest({ question: long });
    const message = { role: 'provider', plaintext: long };
    expect((await setup.alice.provider.post(`/api/v1/message/${requestId}`, message)).status).toBe(201);
    const conversation = (await setup.alice.consumer.get(`/api/v1/messages/${requestId}`)).json;
    expect(conversation.question).toBe(long);
    expect(conversation.messages[0].plaintext).toBe(long);
  });
});

test('32 levels are accepted, and 33 are refused', async () => {
  const submit = async (levels: number) => {
    const nested = JSON.parse(`${'{"a":'.repeat(levels - 1)}1${'}'.repeat(levels - 1)}`);
    return (await setup.alice.consumer.submit({ nested })).status;
  };
  expect([await submit(32), await submit(33)]).toEqual([201, 400]);
});

function sizedBody(size: number): Buffer {
  return Buffer.from(`{"padding":"${'x'.repeat(size - 14)}"}`);
}

async function* chunked(bytes: Buffer): AsyncIterable<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}
