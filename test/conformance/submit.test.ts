import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { publicPem, submission } from '../black-box/samples.ts';
import { subscribe } from '../black-box/subscribe.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { row } from './contract.ts';

const setup = useRelay();
const submit = (members?: Record<string, unknown>) => setup.alice.consumer.submit(members);

/** The request with its messages, as its owner reads it. */
async function read(requestId: string) {
  return (await setup.alice.consumer.get(`/api/v1/messages/${requestId}`)).json;
}

test(row('authentication', 'consumer, submit'), async () => {
  const response = await submit();
  expect(response.status).toBe(201);
  expect(Object.keys(response.json).sort()).toEqual(['expiresAt', 'refCode', 'requestId', 'status']);
  // An API key in the header is ignored.
  const body = submission();
  expect((await setup.alice.consumer.post('/api/v1/help', body)).status).toBe(400);
});

test(row('limits', 'conversation lifetime'), async () => {
  const before = Date.now();
  const { requestId, expiresAt } = await setup.alice.consumer.newRequest();
  const { createdAt } = await read(requestId);
  expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(72 * 3_600_000);
  expect(Math.abs(Date.parse(createdAt) - before)).toBeLessThan(60_000);
});

test(row('decisions', 'requestId'), async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => setup.alice.consumer.newRequest()));
  for (const { requestId } of ids) {
    expect(requestId).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect(Buffer.from(requestId, 'base64url')).toHaveLength(16);
  }
  expect(new Set(ids.map(({ requestId }) => requestId)).size).toBe(20);
});

test(row('limits', 'messages kept'), async () => {
  const messages = Array.from({ length: 13 }, (_, number) => ({
    role: 'user',
    content: `message ${number}`,
  }));
  const { requestId } = await setup.alice.consumer.newRequest({ messages });
  expect((await read(requestId)).context).toEqual(messages.slice(3));
});

describe(row('decisions', 'required at submit'), () => {
  const keys = { consumerSignPubKey: undefined, consumerEncryptPubKey: undefined };

  test.each([
    ['no key', { apiKey: undefined }, 'apiKey'],
    ['a key that is null', { apiKey: null }, 'apiKey'],
    ['no messages', { messages: undefined }, 'messages'],
    ['messages that are null', { messages: null }, 'messages'],
    ['no signing key', { consumerSignPubKey: undefined }, 'consumerSignPubKey'],
    ['no encryption key', { consumerEncryptPubKey: null }, 'consumerEncryptPubKey'],
    ['neither public key', keys, 'consumerSignPubKey'],
    ['neither public key and an empty plaintext', { ...keys, plaintext: '' }, 'consumerSignPubKey'],
    [
      'one of the two public keys and a plaintext',
      { consumerSignPubKey: undefined, plaintext: 'x' },
      'consumerSignPubKey',
    ],
  ])(`${row('errors', '400')}: %s`, async (_name, members, path) => {
    const response = await submit(members);
    expect(response.status).toBe(400);
    expect(response.json.error).toBe('invalid_request');
    expect(response.json.fields).toContainEqual(expect.objectContaining({ path, code: 'required' }));
  });

  test('the error of a missing public key says when it may be omitted', async () => {
    const response = await submit(keys);
    expect(response.json.fields).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('Only a submit with `plaintext`') }),
    );
  });

  test.each([
    ['an empty list of messages', { messages: [] }],
    ['no question', { question: undefined }],
    ['a question that is null', { question: null }],
    ['an empty question', { question: '' }],
    ['a plaintext and the public keys', { plaintext: 'x' }],
    ['a plaintext and no public keys', { ...keys, plaintext: 'x' }],
    [
      'a plaintext and public keys that are null',
      { consumerSignPubKey: null, consumerEncryptPubKey: null, plaintext: 'x' },
    ],
    ['unknown members', { publicKey: 'v3', nested: { a: [1] } }],
  ])('%s: accepted', async (_name, members) => {
    expect((await submit(members)).status).toBe(201);
  });

  test('the error names all wrong members and contains none of their values', async () => {
    const response = await submit({
      messages: [
        { role: 'user', content: 'fine' },
        { role: '', content: 'secret-1' },
        { role: 'user', content: 7 },
        'secret-2',
      ],
      question: 5,
      plaintext: ['secret-3'],
      consumerSignPubKey: 'secret-4',
    });
    expect(response.status).toBe(400);
    expect(response.json.fields.map(({ path }: { path: string }) => path).sort()).toEqual(
      [
        'consumerSignPubKey',
        'messages[1].role',
        'messages[2].content',
        'messages[3]',
        'plaintext',
        'question',
      ].sort(),
    );
    expect(response.text).not.toMatch(/secret-\d/);
  });

  test.each([
    ['a list', []],
    ['a number', 7],
    ['an object', { key: 'x' }],
  ])('an apiKey that is %s: 400', async (_name, apiKey) => {
    const response = await submit({ apiKey });
    expect(response.status).toBe(400);
    expect(response.json.fields).toEqual([expect.objectContaining({ path: 'apiKey', code: 'type' })]);
  });
});

test('the first stream of a request, opened with the position of the response, begins with what happened before it, or with a reset', async () => {
  const members = { ...submission(), idempotencyKey: randomUUID() };
  const [response, again] = [await submit(members), await submit(members)];
  const { requestId, refCode } = response.json;
  const position = String(response.headers['relay-position']);
  expect(again.headers['relay-position']).toBe(position);
  await setup.alice.consumer.post(`/api/v1/close/${requestId}`);
  const at = { topic: `/svc/requests/${requestId}`, lastEventId: position };
  const stream = await subscribe(setup.relay.hubUrl, at, setup.alice.provider.headers);
  const [first] = await stream.received(1);
  await stream.close();
  // A hub that has read the newest events only responds with a reset.
  if (first?.event === 'message') expect(JSON.parse(first.data)).toEqual({ type: 'request_closed', refCode });
  else expect(first).toMatchObject({ event: 'hub.reset' });
});

test('all members of a submit are returned byte for byte', async () => {
  const sent = {
    consumerSignPubKey: publicPem('ed25519'),
    consumerEncryptPubKey: publicPem('x25519').replaceAll('\n', '\r\n'),
    messages: [{ role: 'user', content: 'Zeilen\r\n\ttab  "quotes" \\ \u2028 🙈 e\u0301 é \u200d \ufeff' }],
    question: ' Grüße, 世界 \u{1f468}\u200d\u{1f469}\u200d\u{1f467} ',
    plaintext: '\u0001\u001f\u007f\uffff',
  };
  const { requestId } = await setup.alice.consumer.newRequest(sent);
  const { messages: context, ...rest } = sent;
  expect(await read(requestId)).toMatchObject({ ...rest, context });
});

describe('the form of the answer', () => {
  const fields = '{ "type":"object", "properties": {"ü": {"type": "boolean"}} }';
  const approval = '{"type":"object","properties":{}}';

  test.each([
    ['form', fields],
    ['approval', approval],
    ['approval', '{"type":"object","title":"x"}'],
  ])('is returned byte for byte, and lists say that it is: %s', async (form, answerForm) => {
    const members = { ...submission(), answerForm, idempotencyKey: randomUUID() };
    for (let attempt = 0; attempt < 2; attempt++) {
      const { status, json } = await submit(members);
      expect({ status, answerForm: json.answerForm }).toEqual({ status: 201, answerForm });
      expect(await read(json.requestId)).toMatchObject({ answerForm });
      for (const query of ['', '&content=true']) {
        const [listed] = (await setup.alice.consumer.get(`/api/v1/requests?limit=1${query}`)).json.requests;
        expect(listed).toMatchObject({ requestId: json.requestId, form, ...(query && { answerForm }) });
      }
    }
  });

  test.each([
    ['an empty text', ''],
    ['no JSON', '{'],
    ['a list', '[]'],
    ['another type', '{"type":"string"}'],
    ['properties that are a list', '{"type":"object","properties":[]}'],
    ['a member twice', '{"type":"object","type":"object"}'],
    ['a member __proto__', '{"type":"object","properties":{"__proto__":{}}}'],
    ['33 levels', `{"type":"object","x":${'['.repeat(32)}${']'.repeat(32)}}`],
    ['more than 8 KiB', JSON.stringify({ type: 'object', title: 'ü'.repeat(4_090) })],
    ['an object', { type: 'object' }],
  ])('%s: 400', async (_name, answerForm) => {
    const response = await submit({ answerForm });
    expect(response.status).toBe(400);
    expect(response.json.fields).toEqual([expect.objectContaining({ path: 'answerForm' })]);
  });
});

describe('the name and the versions of an agent', () => {
  const given = { agentName: 'Staging-Bot \u202e🙈', agentVersions: '4' };

  test('are returned with the submit, its repetition and the request', async () => {
    const members = { ...submission(), ...given, idempotencyKey: randomUUID() };
    for (let attempt = 0; attempt < 2; attempt++) {
      const { status, json } = await submit(members);
      expect(status).toBe(201);
      expect(json).toMatchObject(given);
      expect(await read(json.requestId)).toMatchObject(given);
    }
    expect((await submit({ ...members, agentName: 'another' })).status).toBe(422);
  });

  test('are absent when none was sent', async () => {
    const { json } = await submit({ agentName: null, agentVersions: null });
    expect(json).not.toHaveProperty('agentName');
    expect(await read(json.requestId)).not.toHaveProperty('agentVersions');
  });

  test.each([
    ['agentName', ''],
    ['agentName', 'x'.repeat(101)],
    ['agentName', 7],
    ['agentVersions', ''],
    ['agentVersions', 'x'.repeat(33)],
    ['agentVersions', ['4']],
  ])('%s %j: 400', async (path, value) => {
    const response = await submit({ [path]: value });
    expect(response.status).toBe(400);
    expect(response.json.fields).toEqual([expect.objectContaining({ path })]);
  });
});

describe('the lifetime that an agent chooses', () => {
  test.each([60, 1_800, 72 * 3_600])('%s seconds', async (expiresIn) => {
    const members = { ...submission(), expiresIn, idempotencyKey: randomUUID() };
    for (let attempt = 0; attempt < 2; attempt++) {
      const { status, json } = await submit(members);
      expect({ status, expiresIn: json.expiresIn }).toEqual({ status: 201, expiresIn });
      const { createdAt, expiresAt } = await read(json.requestId);
      expect(json.expiresAt).toBe(expiresAt);
      expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(expiresIn * 1_000);
    }
    expect((await submit({ ...members, expiresIn: 61 })).status).toBe(422);
  });

  test.each([59, 72 * 3_600 + 1, 0, -60, 60.5, '60', 1e300, true, [60]])('%j: 400', async (expiresIn) => {
    const response = await submit({ expiresIn });
    expect(response.status).toBe(400);
    expect(response.json.fields).toEqual([
      {
        path: 'expiresIn',
        code: expect.any(String),
        message: 'Expected a whole number of seconds from 60 to 259200.',
      },
    ]);
  });
});

describe('tags', () => {
  const tags = ['deploy', 'Größe: XL', '注文', '🙈'.repeat(40), ...'abcdef'];

  test('are shown to both sides, and a repetition has the same ones', async () => {
    const members = { ...submission(), tags, idempotencyKey: randomUUID() };
    const { json } = await submit(members);
    expect((await submit(members)).json).toEqual(json);
    expect((await submit({ ...members, tags: ['deploy'] })).status).toBe(422);
    for (const caller of [setup.alice.consumer, setup.alice.provider])
      for (const path of [`/api/v1/messages/${json.requestId}`, `/api/v1/messages/${json.requestId}?after=1`])
        expect((await caller.get(path)).json.tags).toEqual(tags);
    expect((await setup.alice.session.get(`/api/requests/${json.requestId}?after=1`)).json.tags).toEqual(
      tags,
    );
  });

  test.each([null, []])('%j: none', async (none) => {
    const { json } = await submit({ tags: none });
    expect(await read(json.requestId)).not.toHaveProperty('tags');
  });

  test.each([
    ['eleven', Array.from({ length: 11 }, String), 'tags'],
    ['the same one twice', ['a', 'a'], 'tags'],
    ['a text', 'deploy', 'tags'],
    ['an empty one', ['a', ''], 'tags[1]'],
    ['41 characters', ['x'.repeat(41)], 'tags[0]'],
    ['a number', [7], 'tags[0]'],
    ['a line break', ['a\nb'], 'tags[0]'],
    ['a bidi override', ['a\u202eb'], 'tags[0]'],
    ['an invisible character', ['a\u200bb'], 'tags[0]'],
    ['a line separator', ['a\u2028b'], 'tags[0]'],
  ])('%s: 400', async (_name, given, path) => {
    const response = await submit({ tags: given });
    expect(response.status).toBe(400);
    expect(response.json.fields).toEqual([expect.objectContaining({ path })]);
  });
});

describe('what follows', () => {
  const follows = { files: 2, question: true };

  test('is shown to both sides and in lists, and a repetition has the same', async () => {
    const members = { ...submission(), follows: { ...follows, other: 1 }, idempotencyKey: randomUUID() };
    const { status, json } = await submit(members);
    expect(status).toBe(201);
    expect(json).not.toHaveProperty('follows');
    expect((await submit(members)).json).toEqual(json);
    expect((await submit({ ...members, follows: { ...follows, files: 1 } })).status).toBe(422);
    const { consumer, provider, session } = setup.alice;
    for (const caller of [consumer, provider]) {
      expect((await caller.get(`/api/v1/messages/${json.requestId}?after=1`)).json.follows).toEqual(follows);
      const { requests } = (await caller.get('/api/v1/requests?limit=1')).json;
      expect(requests).toEqual([expect.objectContaining({ requestId: json.requestId, follows })]);
    }
    expect((await session.get(`/api/requests/${json.requestId}`)).json.follows).toEqual(follows);
    const { requests } = (await session.get('/api/requests?limit=1')).json;
    expect(requests).toEqual([expect.objectContaining({ requestId: json.requestId, follows })]);
  });

  test.each([
    ['nothing', submission(), { files: 0, question: false }],
    ['null', submission(), null],
    ['without keys', { messages: [], plaintext: 'Help!' }, follows],
  ])('is absent: %s', async (_name, members, given) => {
    const { status, json } = await submit({
      consumerSignPubKey: undefined,
      consumerEncryptPubKey: undefined,
      ...members,
      follows: given,
    });
    expect(status).toBe(201);
    expect(await read(json.requestId)).not.toHaveProperty('follows');
  });

  test.each([
    ['a text', 'files', 'follows'],
    ['a list', [2], 'follows'],
    ['no number of files', { question: true }, 'follows.files'],
    ['17 files', { files: 17, question: false }, 'follows.files'],
    ['-1 files', { files: -1, question: false }, 'follows.files'],
    ['half a file', { files: 0.5, question: false }, 'follows.files'],
    ['files as a text', { files: '2', question: false }, 'follows.files'],
    ['no question', { files: 2 }, 'follows.question'],
    ['a question as a text', { files: 0, question: 'yes' }, 'follows.question'],
  ])('%s: 400', async (_name, given, path) => {
    const response = await submit({ follows: given });
    expect(response.status).toBe(400);
    expect(response.json.fields).toEqual([expect.objectContaining({ path })]);
  });
});

test('a long question is stored completely, and lists contain its first 2,000 characters', async () => {
  const question = '🙈'.repeat(2_500);
  const { requestId } = await setup.alice.consumer.newRequest({ question });
  expect((await read(requestId)).question).toBe(question);
  const { requests } = (await setup.alice.consumer.get('/api/v1/requests?limit=1')).json;
  expect(requests[0]).toMatchObject({ requestId, question: '🙈'.repeat(2_000) });
});
