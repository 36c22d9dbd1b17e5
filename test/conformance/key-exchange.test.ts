import { describe, expect, test } from '@jest/globals';
import { keyExchange } from '../black-box/samples.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { row } from './contract.ts';

const setup = useRelay();
const exchange = (requestId: string, body: object) =>
  setup.alice.provider.post(`/api/v1/key-exchange/${requestId}`, body);

describe(row('decisions', 'key exchange'), () => {
  test('sets the keys, which both parties can read, and does not change the status', async () => {
    const { requestId, refCode } = await setup.alice.consumer.newRequest();
    const keys = keyExchange();
    const response = await exchange(requestId, keys);
    expect(response.status).toBe(200);
    expect(response.json).toEqual({ requestId, refCode, status: 'pending' });
    for (const caller of [setup.alice.consumer, setup.alice.provider]) {
      const conversation = (await caller.get(`/api/v1/messages/${requestId}`)).json;
      expect(conversation).toMatchObject({ ...keys, status: 'pending' });
      expect(conversation).not.toHaveProperty('keySignature');
    }
  });

  test('the same keys again are 200, also from a session; other keys are 409', async () => {
    const { requestId } = await setup.alice.consumer.newRequest();
    const keys = keyExchange();
    const first = await exchange(requestId, keys);
    const second = await setup.alice.session.post(`/api/requests/${requestId}/key-exchange`, keys);
    expect(second.status).toBe(200);
    expect(second.json).toEqual(first.json);

    for (const body of [keyExchange(), { ...keys, providerSignPubKey: keyExchange().providerSignPubKey }]) {
      const other = await exchange(requestId, body);
      expect(other.status).toBe(409);
      expect(other.json.error).toBe('keys_already_exchanged');
    }
    expect((await setup.alice.consumer.get(`/api/v1/messages/${requestId}`)).json).toMatchObject(keys);
  });

  test('the same key with other line ends is 200, and the first spelling is kept', async () => {
    const { requestId } = await setup.alice.consumer.newRequest();
    const keys = keyExchange();
    await exchange(requestId, keys);
    const rewritten = {
      providerSignPubKey: keys.providerSignPubKey.trim(),
      providerEncryptPubKey: keys.providerEncryptPubKey.replaceAll('\n', '\r\n'),
    };
    expect((await exchange(requestId, rewritten)).status).toBe(200);
    expect((await setup.alice.consumer.get(`/api/v1/messages/${requestId}`)).json).toMatchObject(keys);
  });

  test('of ten key exchanges at once with different keys, one succeeds', async () => {
    const { requestId } = await setup.alice.consumer.newRequest();
    const tried = Array.from({ length: 10 }, keyExchange);
    const responses = await Promise.all(tried.map((keys) => exchange(requestId, keys)));
    const winners = tried.filter((_, index) => responses[index]?.status === 200);
    expect(winners).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(9);
    expect((await setup.alice.consumer.get(`/api/v1/messages/${requestId}`)).json).toMatchObject(
      winners[0] ?? {},
    );
  });

  test('keySignature is stored with the keys; the same keys without it are 409', async () => {
    const { requestId } = await setup.alice.consumer.newRequest();
    const keys = { ...keyExchange(), keySignature: Buffer.alloc(96, 7).toString('base64') };
    expect((await exchange(requestId, keys)).status).toBe(200);
    expect((await exchange(requestId, keys)).status).toBe(200);
    expect((await exchange(requestId, { ...keys, keySignature: null })).status).toBe(409);
    expect((await setup.alice.consumer.get(`/api/v1/messages/${requestId}`)).json).toMatchObject(keys);
  });

  test('keySignature may be any canonical base64 of up to 1,024 characters', async () => {
    for (const keySignature of ['AA==', 'A'.repeat(1_024)]) {
      const { requestId } = await setup.alice.consumer.newRequest();
      const keys = { ...keyExchange(), keySignature };
      expect((await exchange(requestId, keys)).status).toBe(200);
      expect((await setup.alice.consumer.get(`/api/v1/messages/${requestId}`)).json).toMatchObject(keys);
    }
  });

  test.each([
    ['no keys', {}, ['providerEncryptPubKey', 'providerSignPubKey']],
    ['one key', { providerEncryptPubKey: undefined }, ['providerEncryptPubKey']],
    ['a key that is null', { providerSignPubKey: null }, ['providerSignPubKey']],
    ['a signature that is empty', { keySignature: '' }, ['keySignature']],
    ['a signature with unused bits set', { keySignature: 'AB==' }, ['keySignature']],
    ['a signature of more than 1,024 characters', { keySignature: 'A'.repeat(1_028) }, ['keySignature']],
  ])('%s: 400', async (name, members, paths) => {
    const { requestId } = await setup.alice.consumer.newRequest();
    const response = await exchange(requestId, name === 'no keys' ? {} : { ...keyExchange(), ...members });
    expect(response.status).toBe(400);
    expect(response.json.fields.map(({ path }: { path: string }) => path).sort()).toEqual(paths);
  });
});
