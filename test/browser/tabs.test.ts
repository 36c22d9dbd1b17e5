import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@expert-relay/testkit';
import { expect } from '@jest/globals';
import type { Page, Request } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import type { Device, TestAgent } from './setup/open-product.ts';
import { readStoredKeys } from './setup/read-stored-keys.ts';
import { signOut } from './setup/sign-out.ts';
import { useProduct } from './setup/use-product.ts';

/* Several tabs of one browser share a stream, drafts and the sign-out, and stay within the rate limit of pages. */

const product = useProduct({ own: { gateway: { RELAY_RATE_LIMIT_PAGES: '100000' } } });

const ask = (agent: TestAgent, question: string) => agent.askPlainly({ question, plaintext: question });
const row = (page: Page, name: RegExp) => page.getByRole('link', { name });
const box = (page: Page) => page.getByRole('textbox', { name: 'Answer' });

/** Opens another tab, with the inbox unless `path` is given. */
async function openTab(device: Device, path = '/requests'): Promise<Page> {
  const page = await device.newTab();
  await page.goto(`/dashboard${path}`);
  return page;
}

test('three tabs share one stream, and another tab opens it when its tab is closed', async () => {
  await using device = await product.signIn('ada');
  await using agent = await device.newAgent();
  const streams: Request[] = [];
  device.context.on('request', (request) => {
    if (request.url().startsWith(product.relay.hubUrl) && request.method() === 'GET') streams.push(request);
  });
  await ask(agent, 'Question zero');
  const tabs = [await device.open(), await openTab(device), await openTab(device)];
  for (const tab of tabs) await row(tab, /Question zero/).waitFor();
  await eventually('a stream', () => streams.length > 0);
  await ask(agent, 'Question one');
  for (const tab of tabs) await row(tab, /Question one/).waitFor();
  // A tab may open it again, such as after a pause of the machine.
  const readers = () => [...new Set(streams.map((stream) => stream.frame().page()))];
  expect(readers()).toHaveLength(1);

  const [leader] = readers();
  await leader?.close();
  const others = tabs.filter((tab) => tab !== leader);
  expect(others).toHaveLength(2);
  await eventually('the stream of another tab', () => readers().length > 1);
  await ask(agent, 'Question two');
  for (const tab of others) await row(tab, /Question two/).waitFor();
  expect(readers()).toHaveLength(2);
  expect(device.problems).toEqual([]);
});

test('a draft appears in another tab with the same conversation', async () => {
  await using device = await product.signIn('bela');
  await using agent = await device.newAgent();
  const { requestId } = await ask(agent, 'Is it safe?');
  const first = await device.open(`/requests/${requestId}`);
  const second = await openTab(device, `/requests/${requestId}`);
  await box(first).waitFor();
  await box(second).waitFor();
  // The text is typed in a background tab, since the newest tab is in front.
  await box(first).fill('Half a sentence');
  await eventually('the draft', async () => (await box(second).inputValue()) === 'Half a sentence');
});

test('a sign-out moves all tabs to the sign-in page and deletes the data in the browser', async () => {
  await using device = await product.signIn('cleo');
  await using agent = await device.newAgent();
  const { requestId } = await ask(agent, 'Is it safe?');
  const first = await device.open(`/requests/${requestId}`);
  await box(first).fill('A secret');
  const others = [await openTab(device), await openTab(device, '/settings')];
  await row(others[0] as Page, /Is it safe/).waitFor();
  await eventually('the draft is stored', async () => (await countStoredValues(first)) > 0);
  // A sign-out that was not confirmed removes nothing.
  await first.getByRole('button', { name: 'Sign out' }).first().click();
  const unsent = first.getByRole('region', { name: 'Sign out of this browser?' }).getByRole('listitem');
  await unsent.filter({ hasText: /^HS-\w{8} Is it safe\?$/ }).waitFor();
  expect(await unsent.count()).toBe(1);
  await first.getByRole('button', { name: 'Stay signed in' }).click();
  expect(await box(first).inputValue()).toBe('A secret');
  expect(await countStoredValues(first)).toBeGreaterThan(0);
  await signOut(first);
  for (const tab of [first, ...others]) await tab.waitForURL(/\/auth\/login/);
  expect(await countStoredValues(first)).toBe(0);
  expect((await device.context.request.get('/api/me')).status()).toBe(401);
});

test('a tab that is still open after a sign-out in another tab stores nothing', async () => {
  await using device = await product.signIn('gwen');
  await using agent = await device.newAgent();
  const { requestId } = await ask(agent, 'Is it safe?');
  const page = await device.open(`/requests/${requestId}`);
  const other = await device.newTab();
  // It does not learn of the sign-out, and so does not reload.
  await other.addInitScript(`BroadcastChannel = class extends BroadcastChannel {
    constructor(name) { super(name === 'expert-relay:user' ? 'none' : name); }
  }`);
  await other.goto(`/dashboard/requests/${requestId}`);
  await box(other).waitFor();
  await signOut(page);
  await page.waitForURL(/\/auth\/login/);
  await box(other).fill('Too late');
  await pause(500);
  expect(await countStoredValues(page)).toBe(0);
});

test('a tab that is closed during its sign-out deletes the data in the browser', async () => {
  await using device = await product.signIn('fred');
  await using agent = await device.newAgent();
  const { requestId } = await ask(agent, 'Is it safe?');
  // After its limit of 15 seconds, a sign-out has failed, and the data is kept.
  await device.context.addInitScript('AbortSignal.timeout = () => new AbortController().signal');
  const page = await device.open(`/requests/${requestId}`);
  await box(page).fill('A secret');
  await eventually('the draft is stored', async () => (await countStoredValues(page)) > 0);
  const other = await openTab(device, '/settings');
  await device.context.route('**/logout', () => {});
  const calling = page.waitForRequest('**/logout');
  await signOut(page);
  await calling;
  // Chromium ends a closed tab after half a second: on a busy machine, before the tab has handled this event.
  await page.evaluate(`dispatchEvent(new Event('pagehide'))`);
  await page.close({ runBeforeUnload: true });
  await eventually('no value is stored', async () => (await countStoredValues(other)) === 0);
});

const countStoredValues = async (page: Page): Promise<number> => (await readStoredKeys(page)).length;

test('a page that is rate limited shows when it continues, and continues then', async () => {
  await using device = await product.signIn('dora');
  await using agent = await device.newAgent();
  await device.page.clock.install();
  const { requestId } = await ask(agent, 'Is it safe?');
  const page = await device.open(`/requests/${requestId}`);
  await box(page).waitFor();
  await product.relay.restart('gateway', { settings: { RELAY_RATE_LIMIT_PAGES: '1' } });
  await page.getByRole('link', { name: 'Keys' }).click();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByText(/Too many calls. This page continues at \d\d:\d\d:\d\d/).waitFor();

  // The page gives up after some failed calls, so it makes none during the restart.
  await page.clock.pauseAt(Date.now() + 60_000);
  await product.relay.restart('gateway', { settings: { RELAY_RATE_LIMIT_PAGES: '100000' } });
  await page.clock.fastForward(61_000);
  await page.clock.resume();
  await page.getByText(/Too many calls/).waitFor({ state: 'detached' });
  await page.getByText('this browser', { exact: true }).waitFor();
});

test('with four tabs, each of four follow-ups in a row appears within a second', async () => {
  await using device = await product.signIn('finn');
  await using agent = await device.newAgent();
  const { requestId } = await ask(agent, 'Is it safe?');
  const { page, context } = device;
  const others = [await device.newTab(), await device.newTab(), await device.newTab()];
  await context.clock.install();
  await device.open(`/requests/${requestId}`);
  await box(page).waitFor();
  for (const other of others) {
    await other.goto('/dashboard/requests');
    await row(other, /Is it safe/).waitFor();
  }
  const countEvents = await countEventsIn(device);
  await context.clock.pauseAt(Date.now() + 60_000);
  for (let at = 1; at <= 4; at += 1) {
    const before = await countEvents();
    await agent.sendPlainly(requestId, `Follow-up ${at}.`);
    await eventually('the event in the page', async () => {
      if ((await countEvents()) > before) return true;
      // A page that connects again needs its timers.
      await context.clock.runFor(200);
      return false;
    });
    await page.clock.runFor(1_000);
    await eventually(`follow-up ${at}`, async () => {
      // Answers of the relay take no time of this clock, but what follows takes some timers.
      await page.clock.runFor(1);
      return page.getByRole('article').getByText(`Follow-up ${at}.`).isVisible();
    });
  }
});

test('while an event arrives every second, three tabs leave calls of the rate limit for the expert', async () => {
  await using device = await product.signIn('eve');
  await using agent = await device.newAgent();
  const { requestId } = await ask(agent, 'Question zero');
  await product.relay.restart('gateway', { settings: { RELAY_RATE_LIMIT_PAGES: '60' } });
  /** How many calls were left after each call. */
  const left: number[] = [];
  device.context.on('response', (response) => {
    const [, calls] = /^"pages";r=(\d+)/.exec(response.headers().ratelimit ?? '') ?? [];
    if (calls !== undefined) left.push(Number(calls));
  });
  const tabs = [device.page, await device.newTab(), await device.newTab()];
  const { clock } = device.context;
  await clock.install();
  await clock.pauseAt(Date.now() + 60_000);
  await device.page.goto(`/dashboard/requests/${requestId}`);
  for (const tab of tabs.slice(1)) await tab.goto('/dashboard/requests');
  const shown = [...tabs.map((tab) => row(tab, /Question zero/)), box(device.page)];
  await passTimeUntil('all tabs are shown', async () =>
    (await Promise.all(shown.map((element) => element.isVisible()))).every(Boolean),
  );
  const countEvents = await countEventsIn(device);
  for (let at = 1; at <= 40; at += 1) {
    const before = await countEvents();
    if (at % 2 === 0) await ask(agent, `Question ${at}`);
    else await agent.sendPlainly(requestId, `And what of ${at}?`);
    await passTimeUntil('the event in the page', async () => (await countEvents()) > before);
    await clock.runFor(1_000);
  }
  const last = device.page.getByText('And what of 39?');
  // The pages delay their reads, but each one must happen.
  await passTimeUntil('the last message', () => last.isVisible());
  for (const tab of tabs) await passTimeUntil('the last row', () => row(tab, /Question 40/).isVisible());
  // Reads of three tabs may be on their way when the last quarter begins.
  expect(Math.min(...left)).toBeGreaterThan(0);
  expect(left.length).toBeGreaterThan(20);
  await product.relay.restart('gateway', { settings: { RELAY_RATE_LIMIT_PAGES: '100000' } });

  /** Passes time only while nothing else happens, since a page that connects again needs its timers. */
  async function passTimeUntil(what: string, check: () => Promise<boolean>): Promise<void> {
    await eventually(
      what,
      async () => {
        const isTrue = await eventually(what, check, { timeoutMs: 500 }).catch(() => false);
        if (!isTrue) await clock.runFor(1_000);
        return isTrue;
      },
      { timeoutMs: 300_000 },
    );
  }
  // Each of the seconds takes several steps in three tabs.
}, 600_000);

/** Counts the events that the first tab receives from the tab with the stream. */
async function countEventsIn({ page, call }: Device): Promise<() => Promise<number>> {
  const { userId } = await call<{ userId: string }>('GET', '/api/me');
  await page.evaluate(`{
    globalThis.eventCount = 0;
    new BroadcastChannel('expert-relay:${userId}').onmessage = ({ data }) => {
      if (data.type === 'event') globalThis.eventCount += 1;
    };
  }`);
  return () => page.evaluate<number>('globalThis.eventCount');
}

test('a page that is refused each lock stays usable: WebKit refuses them while the page is left', async () => {
  await using device = await product.signIn('refused-locks');
  await using agent = await device.newAgent();
  await ask(agent, 'Is it safe?');
  await device.context.addInitScript(`LockManager.prototype.request = () =>
    Promise.reject(new DOMException('The document is not fully active.', 'InvalidStateError'))`);
  const page = await device.open();
  await row(page, /Is it safe/).click();
  await box(page).waitFor();
});
