import { createTcpProxy, eventually, type TcpProxy } from '@expert-relay/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { chooseAction } from './setup/choose-action.ts';
import { withExpertKey } from './setup/make-expert-key.ts';
import { button, type Device, openProduct, type Product, type TestAgent } from './setup/open-product.ts';
import { pressUnsent } from './setup/press-unsent.ts';
import { untilStored } from './setup/read-stored-keys.ts';
import { signOut } from './setup/sign-out.ts';

/* An open page during outages: of the network, the relay, its Redis, the session and the page itself. */

let proxy: TcpProxy;
let product: Product & AsyncDisposable;
let device: Device;
let agent: TestAgent;
let users = 0;

beforeAll(async () => {
  proxy = await createTcpProxy(process.env.REDIS_URL ?? '');
  product = await openProduct({ servers: { redisUrl: proxy.url } });
  // Chromium may have to be installed first.
}, 600_000);
afterAll(async () => {
  await product?.[Symbol.asyncDispose]();
  await proxy?.stop();
});
beforeEach(async () => {
  users += 1;
  device = await product.signIn(`ada-${users}`);
  agent = await device.newAgent();
});
afterEach(async () => {
  await agent[Symbol.asyncDispose]();
  await device[Symbol.asyncDispose]();
});

const ask = (question: string) => agent.askPlainly({ question, plaintext: question });
const box = (page: Page) => page.getByRole('textbox', { name: 'Answer' });
const sendButton = (page: Page) => button(page, 'Send');

/** Opens a request, and marks its page so that a reload is noticed. */
async function openMarked(requestId: string): Promise<Page> {
  // The page must receive events before the outage.
  const streaming = device.page.waitForResponse(
    (response) => response.url().startsWith(product.relay.hubUrl) && response.ok(),
  );
  const page = await device.open(`/requests/${requestId}`);
  await streaming;
  await box(page).waitFor();
  await page.evaluate(() => Object.assign(globalThis, { wasNotLoadedAgain: true }));
  return page;
}

const wasNotLoadedAgain = (page: Page) => page.evaluate('globalThis.wasNotLoadedAgain === true');

/** The texts of a plain request, as the agent reads them. */
async function textsOf(requestId: string): Promise<(string | undefined)[]> {
  const headers = { 'x-api-key': agent.apiKey };
  const answer = await fetch(`${product.relay.gatewayUrl}/api/v1/messages/${requestId}`, { headers });
  const { messages } = (await answer.json()) as { messages: { plaintext?: string }[] };
  return messages.map(({ plaintext }) => plaintext);
}

test('a page that was offline shows new requests and sends the answer that was written offline once', async () => {
  const { requestId } = await ask('The first question');
  const page = await openMarked(requestId);
  await device.context.setOffline(true);
  await page.getByText('Offline. New requests will appear when you are back.').waitFor();
  await box(page).fill('Written offline');
  await sendButton(page).click();
  await page.getByText('It is sent once the relay can be reached').waitFor();
  await ask('A question during the outage');

  await device.context.setOffline(false);
  await page.getByRole('link', { name: /A question during the outage/ }).waitFor();
  await page.locator('[data-delivery]').waitFor({ state: 'detached' });
  expect(await textsOf(requestId)).toEqual(['Written offline']);
  expect(await wasNotLoadedAgain(page)).toBe(true);

  // The page opens, and says that it is offline; the inbox is back without a press.
  await page.evaluate('navigator.serviceWorker.ready');
  await page.reload();
  await page.getByText('Written offline').waitFor();
  await device.context.setOffline(true);
  await page.reload();
  await page.getByText('You are offline. This page retries automatically.').waitFor();
  await device.context.setOffline(false);
  await page.getByText('Written offline').waitFor();
});

test.each([true, false])(
  'an answer written offline that the relay then refuses can be removed (encrypted: %p)',
  async (isEncrypted) => {
    const { requestId } = isEncrypted ? await agent.ask('May I?') : await ask('May I?');
    if (isEncrypted) await withExpertKey(device);
    const page = await device.open(`/requests/${requestId}`);
    await box(page).waitFor();
    // Chromium may still send a call after `setOffline` has returned.
    let isOffline = true;
    const json = { error: 'conversation_full', title: 'It is full', status: 409 };
    await page.route(/\/api\/requests\/[^/]+\/messages$/, (route) =>
      isOffline ? route.abort('internetdisconnected') : route.fulfill({ status: 409, json }),
    );
    await device.context.setOffline(true);
    await box(page).fill('Too late');
    await sendButton(page).click();
    await page.getByText('It is sent once the relay can be reached').waitFor();
    isOffline = false;
    await device.context.setOffline(false);
    await page.getByText('Not sent. This conversation is full').waitFor();
    await pressUnsent(page, 'Remove');
    await page.locator('[data-delivery]').waitFor({ state: 'detached' });
    await page.reload();
    await box(page).waitFor();
    expect(await page.locator('[data-delivery]').count()).toBe(0);
  },
);

test('a late response to an earlier call does not hide that the browser is offline', async () => {
  const { requestId } = await ask('The first question');
  const page = await openMarked(requestId);
  const keys = '/api/keys';
  const held = new Promise<() => Promise<void>>((resolve) => {
    void page.route(keys, (route) =>
      resolve(() => route.fulfill({ json: { keys: [] }, headers: { 'cache-control': 'no-store' } })),
    );
  });
  await page.getByRole('link', { name: 'Keys' }).click();
  const answer = await held;
  await device.context.setOffline(true);
  const sentence = page.getByText('Offline. New requests will appear when you are back.');
  await sentence.waitFor();
  const answered = page.waitForResponse((response) => response.url().endsWith(keys));
  await answer();
  await (await answered).finished();
  await page.getByText('You have no keys.').waitFor();
  expect(await sentence.isVisible()).toBe(true);
});

test('a failed sign-out does not hide that the browser is offline', async () => {
  const { requestId } = await ask('The first question');
  const page = await openMarked(requestId);
  // Chromium may still send a call after `setOffline` has returned.
  await page.route('**/logout', (route) => route.abort('internetdisconnected'));
  await device.context.setOffline(true);
  const offline = page.getByText('Offline. New requests will appear when you are back.');
  await offline.waitFor();
  await signOut(page);
  const signedIn = page.getByText('You are still signed in');
  await signedIn.waitFor();
  expect(await offline.isVisible()).toBe(true);
  await device.context.setOffline(false);
  await offline.waitFor({ state: 'detached' });
  expect(await signedIn.isVisible()).toBe(true);
});

test('a request that cannot be closed says why and what to do next', async () => {
  const { requestId } = await ask('The first question');
  const page = await openMarked(requestId);
  await page.route(/\/api\/requests\/[^/]+\/close$/, (route) =>
    route.fulfill({ status: 409, json: { error: 'conversation_expired', title: 'Expired', status: 409 } }),
  );
  await chooseAction(page, 'End request');
  await page.getByRole('button', { name: 'End it now' }).click();
  await page
    .getByText('Not ended. The request has expired already. Nothing more can be sent here.')
    .waitFor();
});

test('a page works again without a reload after a restart of gateway and hub', async () => {
  const { requestId } = await ask('The first question');
  const page = await openMarked(requestId);
  const whileStopped = async () => {
    await page.getByText('Reconnecting…').waitFor();
  };
  await Promise.all([
    product.relay.restart('gateway', { whileStopped }),
    product.relay.restart('hub', { whileStopped }),
  ]);
  await page.getByText('Reconnecting…').waitFor({ state: 'detached' });
  await ask('A question from afterwards');
  await page.getByRole('link', { name: /A question from afterwards/ }).waitFor();
  await box(page).fill('Still here');
  await sendButton(page).click();
  await eventually('the answer', async () => (await textsOf(requestId)).includes('Still here'));
  expect(await wasNotLoadedAgain(page)).toBe(true);
});

test('while Redis is frozen the page shows that it reconnects, and works again afterwards', async () => {
  const { requestId } = await ask('The first question');
  const page = await openMarked(requestId);
  proxy.hold();
  try {
    await box(page).fill('Written during the outage');
    await sendButton(page).click();
    await page.getByText('Reconnecting…').waitFor();
  } finally {
    await proxy.restore();
  }
  await page.getByText('Reconnecting…').waitFor({ state: 'detached' });
  await page.locator('[data-delivery]').waitFor({ state: 'detached' });
  expect(await textsOf(requestId)).toEqual(['Written during the outage']);
  await ask('A question from afterwards');
  await page.getByRole('link', { name: /A question from afterwards/ }).waitFor();
  expect(await wasNotLoadedAgain(page)).toBe(true);
});

test('a request that arrives while Redis is frozen is shown afterwards', async () => {
  const { requestId } = await ask('The first question');
  const page = await openMarked(requestId);
  proxy.hold();
  try {
    // Its event arrives, and the reads after it wait for the end of the outage.
    await ask('A question during the outage');
    await page.getByText('Reconnecting…').waitFor();
  } finally {
    await proxy.restore();
  }
  await page.getByText('Reconnecting…').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: /build agent.*A question during the outage/s }).waitFor();
});

test('when a session ends while the expert types, the text is kept for the next sign-in', async () => {
  await using phone = await product.signIn('dev');
  await using laptop = await product.signIn('dev');
  await using own = await laptop.newAgent();
  const { requestId } = await own.askPlainly({ question: 'Is it safe?', plaintext: 'Is it safe?' });
  const page = await laptop.open(`/requests/${requestId}`);
  await box(page).fill('Half a sent');
  const { sessions } = await laptop.call<{ sessions: { id: string; current: boolean }[] }>(
    'GET',
    '/api/sessions',
  );
  const ended = sessions.find(({ current }) => current)?.id;
  await phone.call('DELETE', `/api/sessions/${ended}`);
  await page.getByText('You were signed out. What you typed is kept.').waitFor();
  expect(await box(page).inputValue()).toBe('Half a sent');
  await box(page).press('End');
  await box(page).pressSequentially('ence');
  await untilStored(page, 'Half a sentence');
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await page.getByRole('button', { name: /Sign in as dev/ }).click();
  await box(page).waitFor();
  await eventually('the text is kept', async () => (await box(page).inputValue()) === 'Half a sentence');
});

test('a page that is reloaded right after "Send" sends the answer once', async () => {
  const conversation = await agent.ask('Which of the two?');
  await withExpertKey(device);
  const page = await device.open();
  await page.getByRole('link', { name: /Which of the two/ }).click();
  await box(page).waitFor();

  // The first call does not reach the relay. The second one does, but its answer is lost.
  for (const [text, arrives] of [
    ['The first one', false],
    ['And the other', true],
  ] as const) {
    const path = /\/api\/requests\/[^/]+\/messages$/;
    const held = new Promise<void>((resolve) => {
      void page.route(path, async (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        if (arrives) await route.fetch();
        resolve();
      });
    });
    await box(page).fill(text);
    await sendButton(page).click();
    await held;
    await page.unroute(path);
    await page.reload();
    expect((await conversation.waitForAnswer({ timeoutMs: 120_000 })).text).toBe(text);
    // While it is sent again, the page may show it twice.
    await page.getByRole('article').getByText(text).first().waitFor();
    await page.locator('[data-delivery]').waitFor({ state: 'detached' });
    expect(await page.getByRole('article').getByText(text).count()).toBe(1);
    expect(await box(page).inputValue()).toBe('');
  }
  await conversation.refresh();
  expect(conversation.responseCount).toBe(2);
});

test.each([
  [503, 'This page retries automatically.'],
  [429, 'This page continues at'],
])('a page that cannot be opened because of a %s retries automatically', async (status, sentence) => {
  const { page } = device;
  await page.clock.install();
  const headers = { 'retry-after': '20' };
  await page.route('**/api/me', (route) => route.fulfill({ status, headers, json: {} }));
  // That another call, made at the same time, is answered later does not mean that the outage is over.
  const answered = page.waitForResponse('**/api/me');
  await page.route('**/api/requests?*', (route) => answered.then(() => route.continue()));
  await device.open();
  await page.getByText(sentence).waitFor();
  await page.unroute('**/api/me');
  await page.clock.fastForward(21_000);
  await page.getByRole('heading', { name: 'No requests yet' }).waitFor();
});
