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
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { type Heard, listenInPage } from './setup/open-event-source.ts';
import { openBrowser } from './setup/open-browser.ts';
import { servePage } from './setup/serve-page.ts';

/* A real browser's EventSource, which can set no header and gives up for good on anything but 200. */

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

async function openPage(url: string): Promise<{ hear(): Promise<Heard> } & AsyncDisposable> {
  const page = await browser.newPage();
  await page.goto(site.url);
  return { hear: await listenInPage(page, url), [Symbol.asyncDispose]: () => page.close() };
}

/** Sends messages one after the other; gives their ids. */
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

/** A stream that has a place at the hub, which may not have noticed yet that an earlier page has left. */
const takePlace = (): Promise<TestStream> =>
  eventually('a place at the hub', async () => {
    const stream = await openStream(topic);
    await eventually('an answer of the hub', () => stream.ended || stream.lastEventId !== '');
    if (!stream.ended) return stream;
    await stream.close();
    return undefined;
  });

const isOpen = (hear: () => Promise<Heard>) =>
  eventually('an open stream', async () => (await hear()).state === 1);
const hasHeard = (hear: () => Promise<Heard>, count: number) =>
  eventually(`${count} events`, async () => (await hear()).messageIds.length >= count);

test('goes on after the hub was restarted, with nothing lost and nothing twice', async () => {
  await using page = await openPage(topic);
  await isOpen(page.hear);
  const ids = await send(5);
  await hasHeard(page.hear, 5);
  const stopping = relay.restart('hub');
  ids.push(...(await send(10)));
  await stopping;
  ids.push(...(await send(5)));
  await hasHeard(page.hear, 20);
  const heard = await page.hear();
  expect(heard).toMatchObject({ messageIds: ids, resets: 0, state: 1 });
  // It may have come again while the new hub did not know the stream yet, and was told so.
  expect(heard.ends[0]).toBe('stopping');
});

test('hears that its position is gone, and goes on from there', async () => {
  await using page = await openPage(`${topic}&lastEventId=a.place.that.never.was`);
  await eventually('a reset', async () => (await page.hear()).resets === 1);
  const ids = await send(3);
  await hasHeard(page.hear, 3);
  expect(await page.hear()).toMatchObject({ messageIds: ids, resets: 1, state: 1 });
});

test('survives that the hub is full, and is let in when there is room', async () => {
  const others = [await takePlace(), await takePlace()];
  await using page = await openPage(topic);
  await eventually('being turned away twice', async () => (await page.hear()).ends.length >= 2);
  expect((await page.hear()).state).not.toBe(2);
  for (const other of others) await other.close();
  await isOpen(page.hear);
  // Open is also a stream that is about to end: it stays so only when there was room.
  await eventually('room', async () => {
    const before = await page.hear();
    await pause(500);
    const after = await page.hear();
    return after.state === 1 && after.ends.length === before.ends.length;
  });
  const ids = await send(3);
  await hasHeard(page.hear, 3);
  expect((await page.hear()).messageIds).toEqual(ids);
});
