import { setTimeout as pause } from 'node:timers/promises';
import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import {
  eventually,
  openStream,
  reservePort,
  submit,
  type TestStream,
  topicUrl,
} from '@expert-relay/testkit';
import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { openBrowser } from './setup/open-browser.ts';
import { openEventSource, type ReceivedEvents } from './setup/open-event-source.ts';
import { servePage } from './setup/serve-page.ts';

/* EventSource of a real browser. It cannot set headers, and stops reconnecting after any answer but 200. */

let relay: Constellation;
let expert: Tenant;
let browser: Browser;
let site: Awaited<ReturnType<typeof servePage>>;
let requestId: string;
let topic: string;

beforeAll(async () => {
  site = await servePage(await reservePort());
  browser = await openBrowser();
  relay = await startConstellation({
    env: { RELAY_CORS_ORIGINS: new URL(site.url).origin },
    own: {
      hub: {
        RELAY_HUB_MAX_STREAMS: '2',
        RELAY_HUB_RETRY: '200ms',
        RELAY_HUB_BUSY_RETRY: '200ms',
        RELAY_HUB_RING_EVENTS: '3',
      },
    },
  });
  expert = await relay.makeTenant();
  // Chromium may have to be installed first.
}, 600_000);
afterAll(() => relay?.stop());
afterAll(() => browser?.close());
afterAll(() => site?.close());

beforeEach(async () => {
  const submitted = await submit(relay.gatewayUrl, expert.consumerKey);
  requestId = submitted.body.requestId;
  topic = topicUrl(relay.hubUrl, `/svc/requests/${requestId}`);
});

async function openPage(url: string): Promise<{ received(): Promise<ReceivedEvents> } & AsyncDisposable> {
  const page = await browser.newPage();
  await page.goto(site.url);
  return { received: await openEventSource(page, url), [Symbol.asyncDispose]: () => page.close() };
}

/** Sends messages one after the other, and returns their ids. */
async function send(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => crypto.randomUUID());
  for (const messageId of ids) {
    const answer = await fetch(`${relay.gatewayUrl}/api/v1/message/${requestId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': expert.providerKey },
      body: JSON.stringify({ role: 'provider', plaintext: 'Yes.', messageId }),
    });
    expect(answer.status).toBe(201);
  }
  return ids;
}

/** Opens a stream that counts against the limit. Tries again while the hub still counts streams of earlier tests. */
const occupyStream = (): Promise<TestStream> =>
  eventually('the hub accepts a stream', async () => {
    const stream = await openStream(topic);
    await eventually('the hub has answered', () => stream.ended || stream.lastEventId !== '');
    if (!stream.ended) return stream;
    await stream.close();
    return undefined;
  });

const untilOpen = (received: () => Promise<ReceivedEvents>) =>
  eventually('the stream is open', async () => (await received()).state === 1);
const untilReceived = (received: () => Promise<ReceivedEvents>, count: number) =>
  eventually(`${count} messages`, async () => (await received()).messageIds.length >= count);

test('EventSource receives each event once and in order when the hub is restarted', async () => {
  await using page = await openPage(topic);
  await untilOpen(page.received);
  const ids = await send(5);
  await untilReceived(page.received, 5);
  const stopping = relay.restart('hub');
  ids.push(...(await send(10)));
  await stopping;
  ids.push(...(await send(5)));
  await untilReceived(page.received, 20);
  // Each end makes it connect again.
  await untilOpen(page.received);
  const received = await page.received();
  expect(received).toMatchObject({ messageIds: ids, resets: 0 });
  // There may be further ends, if it reconnects before the new hub has read the stream.
  expect(received.ends[0]).toBe('stopping');
});

test('EventSource with an unknown position: receives hub.reset, and then new events', async () => {
  await using page = await openPage(`${topic}&lastEventId=an.unknown.position`);
  await eventually('hub.reset', async () => (await page.received()).resets === 1);
  const ids = await send(3);
  await untilReceived(page.received, 3);
  expect(await page.received()).toMatchObject({ messageIds: ids, resets: 1 });
  await untilOpen(page.received);
});

test('EventSource reconnects while the hub has too many streams, and is accepted when one ends', async () => {
  const others = [await occupyStream(), await occupyStream()];
  await using page = await openPage(topic);
  await eventually('two refusals', async () => (await page.received()).ends.length >= 2);
  expect((await page.received()).state).not.toBe(2);
  for (const other of others) await other.close();
  await untilOpen(page.received);
  // A refused stream is open for a short time too. An accepted one stays open.
  await eventually('the stream stays open', async () => {
    const before = await page.received();
    await pause(500);
    const after = await page.received();
    return after.state === 1 && after.ends.length === before.ends.length;
  });
  const ids = await send(3);
  await untilReceived(page.received, 3);
  expect((await page.received()).messageIds).toEqual(ids);
});
