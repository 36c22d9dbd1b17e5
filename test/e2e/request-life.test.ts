import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { openStream, submit, topicUrl } from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

/*
 * The life of a request: submit, principal, one statement, outbox, stream, hub, subscriber. The tests use only addresses
 * and keys.
 */

let relay: Constellation;
let expert: Tenant;

beforeAll(async () => {
  // Long enough for a test to use a request, and short enough to see it expire.
  relay = await startConstellation({ env: { RELAY_CONVERSATION_TTL: '8s' } });
  expert = await relay.makeTenant();
});

afterAll(() => relay.stop());

const asProvider = () => ({ headers: { 'x-api-key': expert.providerKey } });

describe('a submit', () => {
  test('is 201, and the expert receives an event', async () => {
    const url = topicUrl(relay.hubUrl, `/svc/providers/${expert.userId}`);
    const stream = await openStream(url, asProvider());
    expect(stream.response.status).toBe(200);
    expect(stream.response.headers.get('content-type')).toMatch(/^text\/event-stream/);

    const question = 'Why does my build hang?';
    const { status, body } = await submit(relay.gatewayUrl, expert.consumerKey, { question });
    expect(status).toBe(201);
    expect(body).toEqual({
      requestId: expect.stringMatching(/^[\w-]{22}$/),
      refCode: expect.stringMatching(/^HS-[0-9A-HJKMNP-TV-Z]{8}$/),
      status: 'pending',
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });

    const event = await stream.next({ refCode: body.refCode });
    expect(JSON.parse(event.data)).toEqual({ type: 'new_request', refCode: body.refCode, question });
    await stream.close();
  });

  test('is not visible to another expert, who gets 403 at the hub', async () => {
    const stranger = await relay.makeTenant();
    const url = topicUrl(relay.hubUrl, `/svc/providers/${expert.userId}`);
    const stream = await openStream(url, { headers: { 'x-api-key': stranger.providerKey } });
    expect(stream.response.status).toBe(403);
    await stream.close();
  });

  test('expires on time, with one event on the request topic and one on the activity topic', async () => {
    const activity = await openStream(
      topicUrl(relay.hubUrl, `/svc/providers/${expert.userId}/activity`),
      asProvider(),
    );
    const { body } = await submit(relay.gatewayUrl, expert.consumerKey, { question: 'Anybody there?' });
    const { requestId, refCode } = body;
    // On a busy machine the request may have expired before the stream is open.
    const topic = topicUrl(relay.hubUrl, `/svc/requests/${requestId}`);
    const request = await openStream(`${topic}&lastEventId=earliest`);

    const closed = { type: 'request_closed', refCode };
    const event = await request.next(closed);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(body.expiresAt));
    expect(JSON.parse(event.data)).toEqual(closed);
    const copy = await activity.next(closed);
    expect(JSON.parse(copy.data)).toEqual({ ...closed, requestId, reason: 'expired' });

    const poll = await fetch(`${relay.gatewayUrl}/api/v1/help/${requestId}`);
    expect(await poll.json()).toMatchObject({ requestId, status: 'expired' });
    expect(request.events.filter(({ data }) => data.includes(refCode))).toHaveLength(1);
    await Promise.all([request.close(), activity.close()]);
  });
});

test('GET /api/health needs no key', async () => {
  const response = await fetch(`${relay.gatewayUrl}/api/health`);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    status: 'ok',
    version: expect.any(String),
    timestamp: expect.stringMatching(/Z$/),
  });
});

test('GET /dashboard/requests without a session: the gateway passes on the redirect to /auth/login', async () => {
  const redirect = await fetch(`${relay.gatewayUrl}/dashboard/requests`, { redirect: 'manual' });
  expect(redirect.status).toBeGreaterThanOrEqual(300);
  expect(redirect.headers.get('location')).toMatch(/\/auth\/login/);

  const login = await fetch(`${relay.gatewayUrl}/auth/login`);
  expect(login.status).toBe(200);
  expect(login.headers.get('content-type')).toMatch(/^text\/html/);
});
