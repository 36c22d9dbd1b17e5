import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { RequestEvents } from '../testing/make-event.ts';
import { Reader } from '../testing/reader.ts';
import { makeToken } from '../testing/test-hub.ts';
import { useTwoHubs } from '../testing/use-two-hubs.ts';

const hubs = useTwoHubs();

test('each reader gets the copies of its topics, also if its stream breaks between the two copies of an event', async () => {
  const [first, second, other] = [new RequestEvents(), new RequestEvents(), new RequestEvents()];
  const ofSameExpert = new RequestEvents(first.userId);
  const all = [first, ofSameExpert, second];

  const wanted = {
    aRequest: [second.topic],
    anExpert: [first.activityTopic],
    anExpertAndARequest: [first.topic, first.activityTopic],
    twoExpertsAndTheirRequests: [first, second].flatMap(({ topic, activityTopic }) => [activityTopic, topic]),
    anotherRequest: [other.topic],
  };
  const token = await makeToken(Object.values(wanted).flat());
  const open = (url: string, topics: readonly string[], from?: string) =>
    new Reader(url, topics, {
      headers: { authorization: `Bearer ${token}`, ...(from !== undefined && { 'last-event-id': from }) },
    }).opened();

  const live = new Map(
    await Promise.all(
      Object.values(wanted).map(async (topics) => [topics, await open(hubs.hub.url, topics)] as const),
    ),
  );
  await hubs.stream.publish(...all.map((request) => request.closed('expired')), other.newMessage());
  const expected = (topics: readonly string[]) => [
    ...all.flatMap(({ topic, activityTopic, refCode, requestId }) => [
      ...(topics.includes(topic) ? [{ type: 'request_closed', refCode }] : []),
      ...(topics.includes(activityTopic)
        ? [{ type: 'request_closed', refCode, requestId, reason: 'expired' }]
        : []),
    ]),
    ...(topics.includes(other.topic) ? [expect.objectContaining({ type: 'new_message' })] : []),
  ];

  for (const [topics, reader] of live) {
    await reader.count(expected(topics).length);
    await pause(20);
    expect(reader.events).toEqual(expected(topics));
    reader.close();
  }

  // So that the small hub must read the events from NATS.
  await hubs.stream.publish(...Array.from({ length: 6 }, () => new RequestEvents().newMessage()));
  const idsOf = ({ blocks }: Reader) => blocks.filter(({ data }) => data).map(({ id }) => id ?? '');
  // All of them in one scan.
  const scanned = [...live].map(async ([topics, before]) => {
    const reader = await open(hubs.small.url, topics, 'earliest');
    await reader.count(expected(topics).length);
    expect(idsOf(reader)).toEqual(idsOf(before));
    reader.close();
  });
  await Promise.all(scanned);

  for (const url of [hubs.hub.url, hubs.small.url]) {
    for (const [topics, before] of live) {
      const ids = idsOf(before);
      expect(new Set(ids).size).toBe(ids.length);
      for (const [index, id] of ids.entries()) {
        const later = await open(url, topics, id);
        const rest = expected(topics).slice(index + 1);
        await later.count(rest.length);
        await pause(10);
        expect(later.events).toEqual(rest);
        later.close();
      }
    }
  }
});

test('a reader that was disconnected between two copies gets the second while the stream holds it, then a reset', async () => {
  const request = new RequestEvents();
  const topics = [request.topic, request.activityTopic];
  const authorization = `Bearer ${await makeToken(topics)}`;
  const from = (id = '') =>
    new Reader(hubs.small.url, topics, { headers: { authorization, 'last-event-id': id } });
  const others = (count: number) => Array.from({ length: count }, () => new RequestEvents().newMessage());
  const live = await new Reader(hubs.small.url, topics, { headers: { authorization } }).opened();
  const position = await hubs.stream.publish(request.closed());
  await live.count(2);
  live.close();
  const [halfway, whole] = live.blocks.filter(({ data }) => data).map(({ id }) => id);

  // The ring begins right after it.
  await hubs.stream.publish(...others(5));
  const early = from(halfway);
  await early.count(1);

  await hubs.stream.publish(...others(1));
  await hubs.stream.manager.streams.purge(hubs.stream.name, { seq: position + 1 });
  const late = from(halfway);
  await late.until('a reset', () => late.named('hub.reset').length > 0);
  const complete = await from(whole).opened();
  await hubs.stream.publish(request.newMessage());
  await complete.count(2);
  expect(complete.named('hub.reset')).toEqual([]);
  for (const reader of [early, late, complete]) reader.close();
});
