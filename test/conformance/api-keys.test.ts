import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { createAgent } from '../black-box/expert.ts';
import { useRelay } from '../black-box/use-relay.ts';

const setup = useRelay();
const inForce = 5_000;

/** Waits until a key is refused; fails when it is not within the time that the design gives. */
async function refusedInTime(key: string): Promise<void> {
  const until = Date.now() + inForce;
  const status = async () => (await createAgent(setup.relay.call, key).get('/api/v1/whoami')).status;
  while ((await status()) === 200 && Date.now() < until) await pause(50);
  expect(await status()).toBe(401);
}

describe('the life of an API key', () => {
  test('created, listed, renamed, seen in use', async () => {
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

  test.each([
    ['no name', { kind: 'consumer' }, 'name'],
    ['an empty name', { kind: 'consumer', name: ' ' }, 'name'],
    ['a long name', { kind: 'consumer', name: 'x'.repeat(101) }, 'name'],
    ['no kind', { name: 'x' }, 'kind'],
    ['another kind', { name: 'x', kind: 'session' }, 'kind'],
  ])('%s is 400', async (_name, body, path) => {
    const answer = await setup.alice.session.post('/api/keys', body);
    expect(answer.status).toBe(400);
    expect(answer.json.fields).toEqual([expect.objectContaining({ path })]);
  });

  test('revoked: refused everywhere within 5 s, still listed, revoked again without complaint', async () => {
    const key = await setup.alice.newKey('consumer');
    const { requestId } = await key.newRequest();
    expect((await setup.alice.session.delete(`/api/keys/${key.keyId}`)).status).toBe(204);
    await refusedInTime(key.key);
    expect((await key.submit()).status).toBe(401);
    expect((await key.get(`/api/v1/help/${requestId}`)).status).toBe(401);
    const listed = (await setup.alice.session.get('/api/keys')).json.keys.find(
      ({ id }: { id: string }) => id === key.keyId,
    );
    expect(listed.revokedAt).toEqual(expect.any(String));
    expect((await setup.alice.session.delete(`/api/keys/${key.keyId}`)).status).toBe(204);
    // What was asked with it stays the expert's.
    expect((await setup.alice.provider.get(`/api/v1/messages/${requestId}`)).status).toBe(200);
  });

  test('rotated: the same key with a new secret, the old one works on for the grace period', async () => {
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

  test('rotated without grace: the old secret ends now, the new one works', async () => {
    const key = await setup.alice.newKey('provider');
    const { json } = await setup.alice.session.post(`/api/keys/${key.keyId}/rotate`, { graceSeconds: 0 });
    expect((await createAgent(setup.relay.call, json.key).get('/api/v1/whoami')).status).toBe(200);
    await refusedInTime(key.key);
    expect((await createAgent(setup.relay.call, json.key).get('/api/v1/whoami')).status).toBe(200);
  });

  test('rotated with a second of grace: refused after it', async () => {
    const key = await setup.alice.newKey('consumer');
    await setup.alice.session.post(`/api/keys/${key.keyId}/rotate`, { graceSeconds: 1 });
    expect((await key.get('/api/v1/whoami')).status).toBe(200);
    await pause(1_000);
    await refusedInTime(key.key);
  });

  test('revoked with all its secrets, and not rotated any more', async () => {
    const key = await setup.alice.newKey('consumer');
    const { json } = await setup.alice.session.post(`/api/keys/${key.keyId}/rotate`, { graceSeconds: 600 });
    await setup.alice.session.delete(`/api/keys/${key.keyId}`);
    await refusedInTime(key.key);
    await refusedInTime(json.key);
    const again = await setup.alice.session.post(`/api/keys/${key.keyId}/rotate`, {});
    expect(again.status).toBe(409);
    expect(again.json.error).toBe('key_revoked');
  });

  test.each([-1, 1.5, 2_592_001, '60', 'soon', []])('a grace period of %p is 400', async (graceSeconds) => {
    const key = await setup.alice.newKey('consumer');
    const answer = await setup.alice.session.post(`/api/keys/${key.keyId}/rotate`, { graceSeconds });
    expect(answer.status).toBe(400);
    expect(answer.json.fields).toEqual([expect.objectContaining({ path: 'graceSeconds' })]);
  });
});
