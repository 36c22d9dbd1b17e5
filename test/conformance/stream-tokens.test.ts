import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { comparableResponse } from '../black-box/comparable-response.ts';
import { createAgent, type KeyCaller } from '../black-box/expert.ts';
import { unknownRequestId } from '../black-box/samples.ts';
import { subscribe } from '../black-box/subscribe.ts';
import { useRelay } from '../black-box/use-relay.ts';
import { row } from './contract.ts';

const setup = useRelay();
const topicOf = (requestId: string) => `/svc/requests/${requestId}`;
const ownTopics = (userId: string) => [`/svc/providers/${userId}`, `/svc/providers/${userId}/activity`];

describe(row('decisions', 'stream tokens'), () => {
  test('a token is for the given topics and expires after five minutes', async () => {
    const { requestId } = await setup.alice.consumer.newRequest();
    const topics = [topicOf(requestId)];
    const response = await setup.alice.consumer.post('/api/v1/stream-token', { topics });
    expect(response.status).toBe(201);
    expect(response.json).toEqual({ token: expect.any(String), topics, expiresAt: expect.any(String) });
    const lifetimeMs = Date.parse(response.json.expiresAt) - Date.now();
    expect(lifetimeMs).toBeGreaterThan(280_000);
    expect(lifetimeMs).toBeLessThanOrEqual(300_000);
  });

  test('a provider key and a session get tokens for all topics of their user', async () => {
    const { requestId } = await setup.alice.secondConsumer.newRequest();
    const topics = [...ownTopics(setup.alice.userId), topicOf(requestId)];
    expect((await setup.alice.provider.post('/api/v1/stream-token', { topics })).json.topics).toEqual(topics);
    expect((await setup.alice.session.post('/api/stream-token', { topics })).json.topics).toEqual(topics);
  });

  test('a foreign topic and an unknown one: the same 403', async () => {
    const { requestId } = await setup.alice.consumer.newRequest();
    const own = await setup.bob.consumer.newRequest();
    const requestToken = (topic: string) =>
      setup.bob.consumer.post('/api/v1/stream-token', { topics: [topicOf(own.requestId), topic] });
    const unknown = await requestToken(topicOf(unknownRequestId()));
    expect(unknown.status).toBe(403);
    // `whoami` of a consumer key lists no topic, so the response also names the topics of requests.
    expect(unknown.json.detail).toContain('those of the requests it may read');
    for (const topic of [
      topicOf(requestId),
      ...ownTopics(setup.alice.userId),
      ...ownTopics(setup.bob.userId),
      '/svc/else',
      '',
    ]) {
      expect(comparableResponse(await requestToken(topic))).toEqual(comparableResponse(unknown));
    }
    const bySession = (topic: string) => setup.bob.session.post('/api/stream-token', { topics: [topic] });
    for (const topic of [topicOf(requestId), ...ownTopics(setup.alice.userId)])
      expect((await bySession(topic)).status).toBe(403);
  });

  test.each([
    ['no topics', {}],
    ['null', { topics: null }],
    ['an empty list', { topics: [] }],
    ['a text', { topics: '/svc/requests/x' }],
    ['a list of numbers', { topics: [1] }],
    ['101 topics', { topics: Array.from({ length: 101 }, () => topicOf(unknownRequestId())) }],
  ])('%s: 400', async (_name, body) => {
    expect((await setup.alice.provider.post('/api/v1/stream-token', body)).status).toBe(400);
  });

  test('100 topics are accepted, even if one is repeated', async () => {
    const { requestId } = await setup.alice.consumer.newRequest();
    const topics = Array.from({ length: 100 }, () => topicOf(requestId));
    expect((await setup.alice.consumer.post('/api/v1/stream-token', { topics })).status).toBe(201);
  });

  test('when a key is revoked, its stream ends within 5 s, and its token is refused', async () => {
    const key = await setup.alice.newKey('provider');
    const [topic = ''] = ownTopics(setup.alice.userId);
    const { token } = (await key.post('/api/v1/stream-token', { topics: [topic] })).json;
    const stream = await subscribe(setup.relay.hubUrl, { topic, authorization: token });
    expect(stream.response.status).toBe(200);
    await setup.alice.session.delete(`/api/keys/${key.keyId}`);
    await expectEnd(stream);
    expect((await subscribe(setup.relay.hubUrl, { topic, authorization: token })).response.status).toBe(401);
  });

  test('streams of an old secret end within 5 s after its grace period, those of the new secret stay open', async () => {
    const key = await setup.alice.newKey('provider');
    const [topic = ''] = ownTopics(setup.alice.userId);
    const open = async (caller: KeyCaller) => {
      const { token } = (await caller.post('/api/v1/stream-token', { topics: [topic] })).json;
      const streams = [
        await subscribe(setup.relay.hubUrl, { topic }, caller.headers),
        await subscribe(setup.relay.hubUrl, { topic, authorization: token }),
      ];
      expect(streams.map(({ response }) => response.status)).toEqual([200, 200]);
      return streams;
    };
    const rotate = async (graceSeconds: number) => {
      const { json } = await setup.alice.session.post(`/api/keys/${key.keyId}/rotate`, { graceSeconds });
      return createAgent(setup.relay.call, json.key);
    };
    const old = await open(key);
    const second = await rotate(15);
    const graceEnds = Date.now() + 15_000;
    // The first with the old secret during its grace period, the second with the new secret.
    old.push(...(await open(key)));
    const newer = await open(second);
    expect(old.map(({ ended }) => ended)).toEqual([false, false, false, false]);
    await pause(graceEnds - Date.now());
    for (const stream of old) await expectEnd(stream);
    expect(newer.map(({ ended }) => ended)).toEqual([false, false]);

    const third = await rotate(0);
    const newest = await open(third);
    for (const stream of newer) await expectEnd(stream);
    expect(newest.map(({ ended }) => ended)).toEqual([false, false]);
    for (const stream of newest) await stream.close();
  });

  test('when a session signs out, its stream ends within 5 s, and other streams stay open', async () => {
    const user = await setup.relay.signUp();
    const [topic = ''] = ownTopics(user.userId);
    const { token } = (await user.session.post('/api/stream-token', { topics: [topic] })).json;
    const stream = await subscribe(setup.relay.hubUrl, { topic, authorization: token });
    const other = await subscribe(setup.relay.hubUrl, { topic }, user.provider.headers);
    await user.session.post('/logout');
    await expectEnd(stream);
    expect(other.ended).toBe(false);
    await other.close();
  });
});

/** Streams end within 5 s, on a busy machine somewhat later. */
async function expectEnd(stream: { readonly ended: boolean }): Promise<void> {
  const until = performance.now() + 20_000;
  while (!stream.ended && performance.now() < until) await pause(20);
  expect(stream.ended).toBe(true);
}
