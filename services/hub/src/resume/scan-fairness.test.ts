import { captureLogs } from '@expert-relay/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { RequestEvents } from '../testing/make-event.ts';
import { Reader } from '../testing/reader.ts';
import { makeToken, startTestHub, type TestHub } from '../testing/test-hub.ts';
import { openTestStream, type TestStream } from '../testing/test-stream.ts';

const events = 10_000;
const ringEvents = 1_000;
let stream: TestStream;
let hub: TestHub;
const logs = captureLogs();
const request = new RequestEvents();
let position = '';

beforeAll(async () => {
  stream = await openTestStream();
  const other = new RequestEvents();
  const others = (count: number) => Array.from({ length: count }, () => other.newMessage());
  await stream.publish(...others(events - ringEvents - 500));
  const source = await startTestHub({ prefix: stream.prefix });
  const reader = await new Reader(source.url, [request.topic]).opened();
  position = reader.lastEventId;
  reader.close();
  await source[Symbol.asyncDispose]();
  await stream.publish(request.newMessage(), ...others(499 + ringEvents));

  hub = await startTestHub({
    prefix: stream.prefix,
    env: { RELAY_HUB_RING_EVENTS: String(ringEvents) },
    overrides: { log: logs.logOf('hub') },
  });
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  await stream[Symbol.asyncDispose]();
});

/** How many events each scan read. */
const scanned = () =>
  logs.lines.filter(({ msg }) => msg === 'served older events from NATS').map(({ events }) => Number(events));

test('readers without a credential that request all events of any id do not delay other readers', async () => {
  const attackers: Reader[] = [];
  function addAttacker(): Reader {
    const query = { lastEventId: 'earliest' };
    const attacker = new Reader(hub.url, [new RequestEvents().topic], { query });
    attackers.push(attacker);
    return attacker;
  }
  const timer = setInterval(addAttacker, 20);
  try {
    await addAttacker().until('two scans of attackers', () => scanned().length >= 2);
    const shortScans = () => scanned().filter((count) => count < 1_000).length;
    const before = shortScans();
    for (let round = 1; round <= 3; round++) {
      const other = new Reader(hub.url, [request.topic], { headers: { 'last-event-id': position } });
      await other.count(1);
      await other.until('its scan', () => shortScans() - before >= round);
      expect(other.named('hub.reset')).toEqual([]);
      other.close();
    }
  } finally {
    clearInterval(timer);
    for (const attacker of attackers) attacker.close();
  }
});

test('an address that has used up its scans gets a reset at once; other addresses and credentials do not', async () => {
  await using limited = await startTestHub({
    prefix: stream.prefix,
    env: {
      RELAY_HUB_RING_EVENTS: String(ringEvents),
      RELAY_HUB_SCANS_PER_ADDRESS: '1',
      RELAY_TRUSTED_PROXIES: '127.0.0.0/8',
    },
  });
  const { topic } = new RequestEvents();
  const connect = async (address: string, headers = {}) =>
    new Reader(limited.url, [topic], {
      query: { lastEventId: 'earliest' },
      headers: { ...headers, 'x-forwarded-for': address },
    }).opened();
  const started = async (how: string) => {
    const [, count = '0'] =
      new RegExp(`streams_begun_total\\{how="${how}",.*\\} (\\d+)`).exec(await limited.metrics()) ?? [];
    return Number(count);
  };
  const readers: Reader[] = [];
  const served = async (reader: Reader) => {
    readers.push(reader);
    await reader.until('its scan', async () => (await started('resumed')) === readers.length);
    expect(reader.named('hub.reset')).toEqual([]);
  };
  await served(await connect('2001:db8::1'));
  // The same /64.
  const refused = await connect('2001:db8::2');
  await refused.until('a reset', () => refused.named('hub.reset').length === 1);
  expect(await limited.metrics()).toMatch(/relay_hub_scans_refused_total\{holder="address",.*\} 1/);
  await served(await connect('203.0.113.6'));
  const authorization = `Bearer ${await makeToken([topic])}`;
  await served(await connect('2001:db8::1', { authorization }));
  for (const reader of [...readers, refused]) reader.close();
});
