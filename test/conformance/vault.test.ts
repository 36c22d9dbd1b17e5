import { describe, expect, test } from '@jest/globals';
import type { Caller } from '../black-box/caller.ts';
import type { Expert } from '../black-box/expert.ts';
import { useRelay } from '../black-box/use-relay.ts';

const setup = useRelay();

const callers = [
  { name: 'a session', path: '/api/vault', callerOf: (user: Expert): Caller => user.session },
  { name: 'a provider key', path: '/api/v1/vault', callerOf: (user: Expert): Caller => user.provider },
];

describe.each(callers)('$path with $name', ({ path, callerOf }) => {
  async function newVault() {
    const caller = callerOf(await setup.relay.signUp());
    return {
      read: () => caller.get(path),
      readOptional: () => caller.get(`${path}?optional=true`),
      write: (vault: unknown, headers?: Record<string, string>) => caller.put(path, { vault }, headers),
    };
  }

  test('GET before the first PUT: 404, and 204 with `optional=true`', async () => {
    const { read, readOptional, write } = await newVault();
    expect((await read()).status).toBe(404);
    expect((await readOptional()).status).toBe(204);
    await write({ wrapped: 'q83v' });
    expect((await readOptional()).json).toEqual({ vault: { wrapped: 'q83v' } });
  });

  test.each([
    ['an object', { wrapped: 'q83v', version: 1, nested: { list: [1, 'two', null, true] } }],
    ['a text', 'opaque 🙈'],
    ['a list', [1, 2, 3]],
    ['a number', 7],
    ['false', false],
  ])('PUT stores %s, and GET returns it with the same ETag', async (_name, vault) => {
    const { read, write } = await newVault();
    const written = await write(vault);
    expect(written.status).toBe(201);
    const response = await read();
    expect(response.json).toEqual({ vault });
    expect(response.headers.etag).toBe(written.headers.etag);
  });

  test('PUT replaces an existing vault only with its ETag', async () => {
    const { read, write } = await newVault();
    const first = (await write({ version: 1 })).headers.etag ?? '';
    expect((await write({ version: 2 })).status).toBe(428);
    expect((await write({ version: 2 }, { 'if-match': '"another"' })).status).toBe(412);
    const replaced = await write({ version: 2 }, { 'if-match': first });
    expect(replaced.status).toBe(200);
    expect((await write({ version: 3 }, { 'if-match': first })).status).toBe(412);
    expect((await read()).json).toEqual({ vault: { version: 2 } });
    expect((await read()).headers.etag).toBe(replaced.headers.etag);
  });

  test.each<[string, (etag: string) => string, number]>([
    ['a list that contains it', (etag) => `"another", ${etag} ,"a third"`, 200],
    ['a list beside an empty entry', (etag) => `,${etag},`, 200],
    ['a list without it', () => '"another", "a third"', 412],
    ['it as a weak one', (etag) => `W/${etag}`, 412],
    ['it inside of another one', (etag) => `"a ${etag.slice(1, -1)}"`, 412],
    ['it without quotes', (etag) => etag.slice(1, -1), 412],
    ['a list that is broken', (etag) => `"another ${etag}`, 412],
    ['no ETag', () => '', 412],
    ['any, which names none that was read', () => '*', 412],
  ])('PUT with If-Match: %s', async (_name, ifMatch, status) => {
    const { read, write } = await newVault();
    const etag = (await write({ version: 1 })).headers.etag ?? '';
    expect((await write({ version: 2 }, { 'if-match': ifMatch(etag) })).status).toBe(status);
    expect((await read()).json).toEqual({ vault: { version: status === 200 ? 2 : 1 } });
  });

  test('PUT with If-Match before there is a vault: 412', async () => {
    const { read, write } = await newVault();
    expect((await write({}, { 'if-match': '"another"' })).status).toBe(412);
    expect((await read()).status).toBe(404);
  });

  test('of ten first PUTs at once one succeeds; replacements at once are 200 or 412', async () => {
    const { read, write } = await newVault();
    const all = (headers?: Record<string, string>) =>
      Promise.all(Array.from({ length: 10 }, (_, writer) => write({ writer }, headers)));
    const made = (await all()).map(({ status }) => status);
    expect(made.filter((status) => status === 201)).toHaveLength(1);
    expect(made.filter((status) => status === 428)).toHaveLength(9);
    const replaced = (await all({ 'if-match': (await read()).headers.etag ?? '' })).map(
      ({ status }) => status,
    );
    expect(replaced.filter((status) => status === 200).length).toBeGreaterThan(0);
    expect(replaced.every((status) => status === 200 || status === 412)).toBe(true);
  });

  test('PUT accepts 8 KB and refuses one byte more', async () => {
    const { write } = await newVault();
    // The text's two quotes count.
    expect((await write('x'.repeat(8_191))).status).toBe(400);
    expect((await write('x'.repeat(8_190))).status).toBe(201);
  });

  test.each([
    ['no vault', undefined],
    ['null', null],
  ])('PUT with %s: 400', async (_name, vault) => {
    const { write } = await newVault();
    const response = await write(vault);
    expect(response.status).toBe(400);
    expect(response.json.fields).toEqual([expect.objectContaining({ path: 'vault' })]);
  });
});

test('PUT /api/vault with a number that is too large for JSON: 400', async () => {
  const { session } = await setup.relay.signUp();
  const headers = { ...session.headers, 'content-type': 'application/json' };
  const response = await setup.relay.call({
    method: 'PUT',
    path: '/api/vault',
    headers,
    body: '{"vault":1e400}',
  });
  expect(response.status).toBe(400);
  expect(response.json).toMatchObject({ error: 'invalid_json', detail: expect.stringMatching(/a number/i) });
});

test('a session and a provider key of a user read the same vault, another user does not', async () => {
  const user = await setup.relay.signUp();
  await user.session.put('/api/vault', { vault: { root: 1 } });
  expect((await user.provider.get('/api/v1/vault')).json).toEqual({ vault: { root: 1 } });
  expect((await setup.bob.provider.get('/api/v1/vault')).status).toBe(404);
  expect((await user.consumer.get('/api/v1/vault')).status).toBe(401);
});

test('saved replies: PUT accepts 128 KB and refuses one byte more, replaces only what was read, and each user has their own', async () => {
  const [expert, other] = [await setup.relay.signUp(), await setup.relay.signUp()];
  const path = '/api/saved-replies';
  const write = (savedReplies: unknown, headers?: Record<string, string>) =>
    expert.session.put(path, { savedReplies }, headers);
  expect((await expert.session.get(path)).json).toEqual({});
  const first = await write('a'.repeat(128 * 1_024 - 2));
  expect(first.status).toBe(201);
  const ifMatch = { 'if-match': first.headers.etag ?? '' };
  expect((await write('a'.repeat(128 * 1_024 - 1), ifMatch)).status).toBe(400);
  expect((await write({ iv: 'a' })).status).toBe(428);
  expect((await write({ iv: 'a' }, { 'if-match': '"another"' })).status).toBe(412);
  expect((await write({ iv: 'a' }, ifMatch)).status).toBe(200);
  expect((await expert.session.get(path)).json).toEqual({ savedReplies: { iv: 'a' } });
  expect((await other.session.get(path)).json).toEqual({});
  // The vault is another value.
  expect((await expert.session.get('/api/vault')).status).toBe(404);
});
