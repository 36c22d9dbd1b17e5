import { describe, expect, test } from '@jest/globals';
import { told } from '../black-box/same-answer.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { row } from './contract.ts';

const here = useRelay();
const state = ['createdAt', 'expiresAt', 'refCode', 'requestId', 'responseCount', 'status'];

describe('GET /api/v1/requests/by-ref/:refCode', () => {
  test(row('silences', 'refCode'), async () => {
    const { refCode, requestId } = await here.alice.consumer.newRequest();
    expect(refCode).toMatch(/^HS-[0-9A-HJKMNP-TV-Z]{8}$/);
    const exactly = await here.alice.consumer.get(`/api/v1/requests/by-ref/${refCode}`);
    expect(exactly.json).toMatchObject({ refCode, requestId, status: 'pending', responseCount: 0 });
    expect(Object.keys(exactly.json).sort()).toEqual(state);
    for (const spelling of [refCode.toLowerCase(), refCode.replace('HS', 'hS'), refCode.slice(3)]) {
      expect(told(await here.alice.provider.get(`/api/v1/requests/by-ref/${spelling}`))).toEqual(
        told(exactly),
      );
    }
  });

  test(row('silences', 'who may touch a request'), async () => {
    const { refCode, requestId } = await here.alice.consumer.newRequest();
    const { alice, bob } = here;
    const newProvider = await alice.newKey('provider');
    for (const caller of [alice.consumer, alice.provider, newProvider]) {
      expect((await caller.get(`/api/v1/requests/by-ref/${refCode}`)).status).toBe(200);
      expect((await caller.get(`/api/v1/messages/${requestId}`)).status).toBe(200);
    }
    expect((await alice.session.get(`/api/requests/${requestId}`)).status).toBe(200);
    for (const caller of [alice.secondConsumer, bob.consumer, bob.provider]) {
      expect((await caller.get(`/api/v1/requests/by-ref/${refCode}`)).status).toBe(404);
      expect((await caller.get(`/api/v1/messages/${requestId}`)).status).toBe(404);
    }
    expect((await bob.session.get(`/api/requests/${requestId}`)).status).toBe(404);
  });
});

describe('GET /api/v1/help/:requestId', () => {
  test(row('authentication', 'poll endpoint'), async () => {
    const { requestId, refCode } = await here.alice.consumer.newRequest();
    const answer = await here.relay.nobody.get(`/api/v1/help/${requestId}`);
    expect(answer.json).toMatchObject({ requestId, refCode, status: 'pending', responseCount: 0 });
    expect(Object.keys(answer.json).sort()).toEqual(state);
  });

  test(row('silences', 'poll'), async () => {
    const { requestId } = await here.alice.consumer.newRequest();
    const path = `/api/v1/help/${requestId}`;
    for (const caller of [here.alice.consumer, here.alice.provider])
      expect((await caller.get(path)).status).toBe(200);
    for (const caller of [here.alice.secondConsumer, here.bob.consumer, here.bob.provider]) {
      expect((await caller.get(path)).status).toBe(404);
    }
    expect((await here.relay.nobody.get(path, { 'x-api-key': 'hs_x' })).status).toBe(401);
  });
});
