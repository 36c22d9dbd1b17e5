import { describe, expect, test } from '@jest/globals';
import { comparableResponse } from '../black-box/comparable-response.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { row } from './contract.ts';

const setup = useRelay();
const state = ['createdAt', 'expiresAt', 'refCode', 'requestId', 'responseCount', 'status'];

describe('GET /api/v1/requests/by-ref/:refCode', () => {
  test(row('decisions', 'refCode'), async () => {
    const { refCode, requestId } = await setup.alice.consumer.newRequest();
    expect(refCode).toMatch(/^HS-[0-9A-HJKMNP-TV-Z]{8}$/);
    const exactly = await setup.alice.consumer.get(`/api/v1/requests/by-ref/${refCode}`);
    expect(exactly.json).toMatchObject({ refCode, requestId, status: 'pending', responseCount: 0 });
    expect(Object.keys(exactly.json).sort()).toEqual(state);
    for (const spelling of [refCode.toLowerCase(), refCode.replace('HS', 'hS'), refCode.slice(3)]) {
      expect(
        comparableResponse(await setup.alice.provider.get(`/api/v1/requests/by-ref/${spelling}`)),
      ).toEqual(comparableResponse(exactly));
    }
  });

  test(row('decisions', 'who may touch a request'), async () => {
    const { refCode, requestId } = await setup.alice.consumer.newRequest();
    const { alice, bob } = setup;
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
    const { requestId, refCode } = await setup.alice.consumer.newRequest();
    const response = await setup.relay.anonymous.get(`/api/v1/help/${requestId}`);
    expect(response.json).toMatchObject({ requestId, refCode, status: 'pending', responseCount: 0 });
    expect(Object.keys(response.json).sort()).toEqual(state);
  });

  test(row('decisions', 'poll'), async () => {
    const { requestId } = await setup.alice.consumer.newRequest();
    const path = `/api/v1/help/${requestId}`;
    for (const caller of [setup.alice.consumer, setup.alice.provider])
      expect((await caller.get(path)).status).toBe(200);
    for (const caller of [setup.alice.secondConsumer, setup.bob.consumer, setup.bob.provider]) {
      expect((await caller.get(path)).status).toBe(404);
    }
    expect((await setup.relay.anonymous.get(path, { 'x-api-key': 'hs_x' })).status).toBe(401);
  });
});
