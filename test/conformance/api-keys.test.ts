import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@expert-relay/testkit';
import { describe, expect, test } from '@jest/globals';
import { createAgent } from '../black-box/expert.ts';
import { subscribe } from '../black-box/subscribe.ts';
import { useRelay } from '../black-box/use-relay.ts';

const setup = useRelay();
/** The design allows 5 s. On a busy machine a call may take longer. */
const revocationLimitMs = 20_000;

/** Waits until a key is refused. */
async function expectRefused(key: string): Promise<void> {
  const until = Date.now() + revocationLimitMs;
  const status = async () => (await createAgent(setup.relay.call, key).get('/api/v1/whoami')).status;
  while ((await status()) === 200 && Date.now() < until) await pause(50);
  expect(await status()).toBe(401);
}

describe('API keys', () => {
  test('POST, PUT and GET /api/keys: create, rename and list a key', async () => {
    const user = await setup.relay.signUp();
    const made = await user.session.post('/api/keys', { name: '  laptop agent ', kind: 'consumer' });
    expect(made.status).toBe(201);
    const { key, ...view } = made.json;
    expect(view).toMatchObject({ kind: 'consumer', name: 'laptop agent', lastUsedAt: null, revokedAt: null });

    const renamed = await user.session.put(`/api/keys/${view.id}`, { name: 'build agent' });
    expect(renamed.json).toEqual({ ...view, name: 'build agent' });
    const { keys } = (await user.session.get('/api/keys')).json;
    expect(keys[0]).toEqual({ ...view, name: 'build agent' });
    expect(keys).toHaveLength(4);
    expect((await createAgent(setup.relay.call, key).get('/api/v1/whoami')).json.name).toBe('build agent');
  });

  test('show when they were last used, whatever was called', async () => {
    const user = await setup.relay.signUp();
    const topic = `/svc/providers/${user.userId}`;
    const [reader, manager, subscriber] = [
      await user.newKey('provider'),
      await user.newKey('provider'),
      await user.newKey('provider'),
    ];
    await reader.get('/api/v1/requests');
    await manager.get('/api/v1/webhooks');
    await (await subscribe(setup.relay.hubUrl, { topic }, subscriber.headers)).close();
    const used = [reader, manager, subscriber].map(({ keyId }) => keyId);
    await eventually('the times', async () => {
      const { keys } = (await user.session.get('/api/keys')).json;
      const views = keys as { id: string; lastUsedAt: string | null }[];
      return used.every((keyId) => views.some(({ id, lastUsedAt }) => id === keyId && lastUsedAt !== null));
    });
  });

  test.each([
    ['no name', { kind: 'consumer' }, 'name'],
    ['an empty name', { kind: 'consumer', name: ' ' }, 'name'],
    ['a long name', { kind: 'consumer', name: 'x'.repeat(101) }, 'name'],
    ['no kind', { name: 'x' }, 'kind'],
    ['an unknown kind', { name: 'x', kind: 'session' }, 'kind'],
  ])('POST /api/keys with %s: 400', async (_name, body, path) => {
    const response = await setup.alice.session.post('/api/keys', body);
    expect(response.status).toBe(400);
    expect(response.json.fields).toEqual([expect.objectContaining({ path })]);
  });

  test('GET /api/keys has pages, those that are not revoked first', async () => {
    const user = await setup.relay.signUp();
    await user.session.delete(`/api/keys/${user.secondConsumer.keyId}`);
    const expected = [user.provider.keyId, user.consumer.keyId, user.secondConsumer.keyId];
    const seen: string[] = [];
    let query = '?limit=1';
    for (let page = 0; page < 3; page++) {
      const { json } = await user.session.get(`/api/keys${query}`);
      seen.push(...json.keys.map(({ id }: { id: string }) => id));
      query = `?limit=1&after=${json.next}`;
    }
    expect(seen).toEqual(expected);
    expect((await user.session.get('/api/keys')).json).not.toHaveProperty('next');
  });

  const impossible = Buffer.from(`live 2026-02-30T00:00:00.000Z ${'a'.repeat(36)}`).toString('base64url');
  test.each(['limit=0', 'limit=201', 'limit=x', 'after=', 'after=x', `after=${impossible}`, 'after=%00'])(
    'GET /api/keys?%s: 400',
    async (query) => {
      const response = await setup.alice.session.get(`/api/keys?${query}`);
      expect(response.status).toBe(400);
      expect(response.json.fields).toEqual([expect.objectContaining({ path: query.split('=')[0] })]);
    },
  );

  test('POST /api/keys: a user has at most 100 keys; the next one is 409, and says what to do', async () => {
    const user = await setup.relay.signUp();
    for (let count = 3; count < 100; count++) await user.newKey('consumer', `agent ${count}`);
    const refused = await user.session.post('/api/keys', { name: 'one more', kind: 'provider' });
    expect(refused.status).toBe(409);
    expect(refused.json.error).toBe('too_many_keys');
    expect(refused.json.detail).toContain('Revoke one');
    await user.session.delete(`/api/keys/${user.secondConsumer.keyId}`);
    await user.newKey('provider');
    expect((await user.session.get('/api/keys')).json.keys).toHaveLength(101);
  });

  test('DELETE /api/keys/:keyId: the key is refused within 5 s and still listed; a second DELETE is 204', async () => {
    const key = await setup.alice.newKey('consumer');
    const { requestId } = await key.newRequest();
    expect((await setup.alice.session.delete(`/api/keys/${key.keyId}`)).status).toBe(204);
    await expectRefused(key.key);
    expect((await key.submit()).status).toBe(401);
    expect((await key.get(`/api/v1/help/${requestId}`)).status).toBe(401);
    const listed = (await setup.alice.session.get('/api/keys')).json.keys.find(
      ({ id }: { id: string }) => id === key.keyId,
    );
    expect(listed.revokedAt).toEqual(expect.any(String));
    expect((await setup.alice.session.delete(`/api/keys/${key.keyId}`)).status).toBe(204);
    // The expert can still read the requests of the key.
    expect((await setup.alice.provider.get(`/api/v1/messages/${requestId}`)).status).toBe(200);
  });

  test('revocation: the webhooks of the key are gone at once, and a rotation before it keeps them', async () => {
    const { session, provider, newKey } = setup.alice;
    const key = await newKey('consumer', 'with a webhook');
    const { id } = (await key.post('/api/v1/webhooks', { url: 'http://127.0.0.1:9/hook' })).json;
    const listed = async () =>
      [await session.get('/api/webhooks'), await provider.get('/api/v1/webhooks')].map(({ json }) =>
        json.webhooks.some((webhook: { id: string }) => webhook.id === id),
      );
    await session.post(`/api/keys/${key.keyId}/rotate`, { graceSeconds: 0 });
    expect(await listed()).toEqual([true, true]);
    await session.delete(`/api/keys/${key.keyId}`);
    expect(await listed()).toEqual([false, false]);
    expect((await session.put(`/api/webhooks/${id}`, { enabled: true })).status).toBe(404);
    expect((await session.post(`/api/webhooks/${id}/test`)).status).toBe(404);
    expect((await session.delete(`/api/webhooks/${id}`)).status).toBe(404);
  });

  test('rotation: the key gets a new secret, and the old one works during the grace period', async () => {
    const key = await setup.alice.newKey('consumer', 'rotating');
    const { requestId } = await key.newRequest();
    const rotated = await setup.alice.session.post(`/api/keys/${key.keyId}/rotate`);
    expect(rotated.status).toBe(200);
    expect(rotated.json).toMatchObject({
      id: key.keyId,
      name: 'rotating',
      kind: 'consumer',
      revokedAt: null,
    });
    expect(rotated.json.key).not.toBe(key.key);
    expect(rotated.json.lastFour).toBe(rotated.json.key.slice(-4));
    for (const secret of [key.key, rotated.json.key]) {
      const caller = createAgent(setup.relay.call, secret);
      expect((await caller.get(`/api/v1/messages/${requestId}`)).status).toBe(200);
      expect((await caller.submit()).status).toBe(201);
    }
  });

  test('rotation with graceSeconds 0: the old secret is refused, the new one works', async () => {
    const key = await setup.alice.newKey('provider');
    const { json } = await setup.alice.session.post(`/api/keys/${key.keyId}/rotate`, { graceSeconds: 0 });
    expect((await createAgent(setup.relay.call, json.key).get('/api/v1/whoami')).status).toBe(200);
    await expectRefused(key.key);
    expect((await createAgent(setup.relay.call, json.key).get('/api/v1/whoami')).status).toBe(200);
  });

  test('rotation with graceSeconds 1: the old secret is refused after one second', async () => {
    const key = await setup.alice.newKey('consumer');
    await setup.alice.session.post(`/api/keys/${key.keyId}/rotate`, { graceSeconds: 1 });
    await pause(1_000);
    await expectRefused(key.key);
  });

  test('revocation after a rotation: both secrets are refused, and another rotation is 409', async () => {
    const key = await setup.alice.newKey('consumer');
    const { json } = await setup.alice.session.post(`/api/keys/${key.keyId}/rotate`, { graceSeconds: 600 });
    await setup.alice.session.delete(`/api/keys/${key.keyId}`);
    await expectRefused(key.key);
    await expectRefused(json.key);
    const again = await setup.alice.session.post(`/api/keys/${key.keyId}/rotate`, {});
    expect(again.status).toBe(409);
    expect(again.json.error).toBe('key_revoked');
  });

  test.each([-1, 1.5, 2_592_001, '60', 'soon', []])(
    'rotation with graceSeconds %p: 400',
    async (graceSeconds) => {
      const key = await setup.alice.newKey('consumer');
      const response = await setup.alice.session.post(`/api/keys/${key.keyId}/rotate`, { graceSeconds });
      expect(response.status).toBe(400);
      expect(response.json.fields).toEqual([expect.objectContaining({ path: 'graceSeconds' })]);
    },
  );
});
