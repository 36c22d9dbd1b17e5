import { eventually } from '@expert-relay/testkit';
import { expect } from '@jest/globals';
import type { Locator, Page, Worker } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { checkAccessibility } from './setup/check-accessibility.ts';
import { chooseAction } from './setup/choose-action.ts';
import { makeExpertKey } from './setup/make-expert-key.ts';
import { button, type Device } from './setup/open-product.ts';
import { untilStored } from './setup/read-stored-keys.ts';
import { useProduct } from './setup/use-product.ts';

const product = useProduct();

const rowOf = (page: Page, question: string): Locator =>
  page.getByRole('region', { name: 'Requests' }).getByRole('link').filter({ hasText: question });
const filterOf = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Filters' }).getByRole('link', { name });
const untilVisible = (locator: Locator) => locator.waitFor();
const untilRemoved = (locator: Locator) => locator.waitFor({ state: 'detached' });
const waitForTitle = (page: Page, start: string) =>
  eventually(`the title begins with ${start}`, async () => (await page.title()).startsWith(start));
const focusedRow = (page: Page): Locator => page.locator('[data-request]:focus');

/** Signs an expert in who has these requests, and opens the inbox. */
async function openInboxWith(user: string, questions: readonly string[], options = {}) {
  const device = await product.signIn(user, options);
  const agent = await device.newAgent('build agent');
  const asked: { requestId: string }[] = [];
  for (const question of questions) asked.push(await agent.askPlainly({ question, plaintext: question }));
  const page = await device.open();
  // A row has this name once the list was read. From then on every request is announced.
  for (const question of questions)
    await untilVisible(rowOf(page, question).filter({ hasText: 'build agent' }));
  return { device, agent, page, first: asked[0]?.requestId };
}

const answer = (device: Device, requestId: string) =>
  device.call('POST', `/api/requests/${requestId}/messages`, {
    role: 'provider',
    messageId: crypto.randomUUID(),
    plaintext: 'Yes.',
  });

/** Key and question are missing in an announcement when the relay takes long to state them. */
const announcementOf = (page: Page, question: string): Locator =>
  page
    .getByRole('status', { name: 'New requests' })
    .getByText(
      new RegExp(`^New request from (?:build agent: ${question.replace('?', '\\?')}|an agent:\\s*)$`),
    );

/** The same, or the announcement of this request and the one before it, if their events arrived together. */
const firstAnnouncementOf = (page: Page, question: string): Locator =>
  announcementOf(page, question).or(page.getByText('2 new requests', { exact: true }));

test('a second announcement with the same text is a new element, so that screen readers read it', async () => {
  const { device, agent, page } = await openInboxWith('announcements', ['The first one?']);
  await agent.askPlainly({ question: 'Another?', plaintext: 'Now.' });
  await untilVisible(firstAnnouncementOf(page, 'Another?'));
  const announcement = announcementOf(page, 'The same?');
  await agent.askPlainly({ question: 'The same?', plaintext: 'Now.' });
  await untilVisible(announcement);
  await announcement.evaluate('element => element.setAttribute("data-first", "")');
  await agent.askPlainly({ question: 'The same?', plaintext: 'Now.' });
  await untilVisible(announcement.and(page.locator(':not([data-first])')));
  await device[Symbol.asyncDispose]();
});

test('a new request appears in the list, and moves to other lists when it is answered and closed', async () => {
  const { device, agent, page, first } = await openInboxWith('lists', ['The first one?']);
  const { requestId, refCode } = await agent.askPlainly({ question: 'The second one?', plaintext: 'Now.' });
  const row = rowOf(page, 'The second one?');
  await untilVisible(
    row.filter({ hasText: refCode }).filter({ hasText: 'build agent' }).filter({ hasText: 'Not encrypted' }),
  );
  await waitForTitle(page, '(2)');
  await untilVisible(firstAnnouncementOf(page, 'The second one?'));

  await answer(device, requestId);
  await untilRemoved(row);
  await waitForTitle(page, '(1)');
  await filterOf(page, 'Answered').click();
  await untilVisible(row);

  await agent.askPlainly({ question: 'The third one?', plaintext: 'Now.' });
  await device.call('POST', `/api/requests/${first}/close`);
  await device.call('POST', `/api/requests/${requestId}/close`);
  await untilRemoved(row);
  await filterOf(page, 'Ended').click();
  await untilVisible(row);
  await untilVisible(rowOf(page, 'The first one?').filter({ hasText: 'Ended unanswered' }));
  await filterOf(page, 'Waiting').click();
  await untilVisible(rowOf(page, 'The third one?'));
  expect(await rowOf(page, 'The first one?').count()).toBe(0);
  await device[Symbol.asyncDispose]();
});

test('the keyboard moves through the list, searches, and ends the search', async () => {
  const { device, agent, page } = await openInboxWith('keyboard', ['Alpha?', 'Beta?', 'Gamma?']);
  const { requestId } = await agent.askPlainly({ question: 'Another Gamma', plaintext: 'Now.' });
  await untilVisible(rowOf(page, 'Another Gamma'));
  await answer(device, requestId);
  await untilRemoved(rowOf(page, 'Another Gamma'));
  const current = page.locator('[data-request][aria-current]');
  await page.keyboard.press('j');
  await untilVisible(current.filter({ hasText: 'Gamma?' }));
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await untilVisible(current.filter({ hasText: 'Alpha?' }));
  await page.keyboard.press('k');
  await untilVisible(current.filter({ hasText: 'Beta?' }));

  await page.keyboard.press('/');
  await page.keyboard.type('gam');
  await untilRemoved(rowOf(page, 'Alpha?'));
  await untilVisible(rowOf(page, 'Gamma?'));
  // A search covers all lists.
  await untilVisible(page.getByRole('heading', { name: 'Answered' }));
  await untilVisible(rowOf(page, 'Another Gamma'));
  await page.keyboard.type('jk');
  await untilVisible(page.getByText('Nothing found for “gamjk”.'));
  await page.keyboard.press('Escape');
  await untilVisible(rowOf(page, 'Alpha?'));
  await device[Symbol.asyncDispose]();
});

test('requests are ordered by the time that is left, and snoozed until the agent writes', async () => {
  const { device, agent, page } = await openInboxWith('organised', ['One?', 'Two?', 'Three?']);
  await using other = await device.newAgent('deploy agent');
  const { requestId } = await other.askPlainly({ question: 'Four?', plaintext: 'Now.' });
  await untilVisible(rowOf(page, 'Four?').filter({ hasText: 'deploy agent' }));
  const questions = () => page.locator('[data-request]').allInnerTexts();
  const untilOrder = (expected: readonly string[]) =>
    eventually(`the order ${expected}`, async () => {
      const shown = await questions();
      return shown.length === expected.length && expected.every((one, at) => shown[at]?.includes(one));
    });
  await untilOrder(['Four?', 'Three?', 'Two?', 'One?']);
  await page.getByLabel('Order').selectOption('Least time left first');
  await untilOrder(['One?', 'Two?', 'Three?', 'Four?']);
  await page.getByLabel('Order').selectOption('Newest first');

  await rowOf(page, 'Four?').click();
  await chooseAction(page, 'Snooze');
  expect(await checkAccessibility(page)).toEqual([]);
  await page.getByRole('button', { name: 'Until the agent writes' }).click();
  await untilOrder(['Three?', 'Two?', 'One?', 'Four?']);
  await untilVisible(rowOf(page, 'Four?').filter({ hasText: 'Snoozed' }));
  await waitForTitle(page, '(3)');
  // The next request is open, and the snooze lasts.
  await untilVisible(rowOf(page, 'Three?').and(page.locator('[aria-current]')));
  await page.reload();
  await untilOrder(['Three?', 'Two?', 'One?', 'Four?']);
  await other.sendPlainly(requestId, 'It is urgent now.');
  await untilOrder(['It is urgent now.', 'Three?', 'Two?', 'One?']);
  await waitForTitle(page, '(4)');

  // There is nothing to answer in thanks.
  await answer(device, requestId);
  await waitForTitle(page, '(3)');
  await other.sendPlainly(requestId, 'Thanks, done!');
  await waitForTitle(page, '(4)');
  await rowOf(page, 'Thanks, done!').click();
  await page.getByRole('article').getByText('Thanks, done!').waitFor();
  await page.keyboard.press('d');
  await untilOrder(['Three?', 'Two?', 'One?']);
  await waitForTitle(page, '(3)');

  await agent[Symbol.asyncDispose]();
  await device[Symbol.asyncDispose]();
});

test('a text that is used often is saved, and chosen in another request after a reload', async () => {
  const { device, agent, page } = await openInboxWith('replies', ['One?', 'Two?']);
  await rowOf(page, 'One?').click();
  const box = page.getByRole('textbox', { name: 'Answer' });
  await box.fill('Ask the owner first.');
  await button(page, 'Saved replies').click();
  await untilVisible(page.getByText('They are encrypted with your key. Make it in Settings first.'));
  await device.open('/settings');
  await button(page, 'Make my key').click();
  await makeExpertKey(page);
  await button(page, 'New recovery code').waitFor();
  await device.open('/requests');
  await rowOf(page, 'One?').click();
  await button(page, 'Saved replies').click();
  await button(page, 'Save this text').click();
  await button(page, 'Ask the owner first.').waitFor();
  await page.reload();
  await rowOf(page, 'Two?').click();
  await button(page, 'Saved replies').click();
  await button(page, 'Ask the owner first.').click();
  expect(await box.inputValue()).toBe('Ask the owner first.');
  await page.keyboard.press('ControlOrMeta+z');
  expect(await box.inputValue()).toBe('');
  await agent[Symbol.asyncDispose]();
  await device[Symbol.asyncDispose]();
});

test('on a phone, list and conversation are separate pages, and "Back" returns to the row', async () => {
  const { device, page } = await openInboxWith('phone', ['Alpha?', 'Beta?'], {
    viewport: { width: 360, height: 640 },
    hasTouch: true,
  });
  await rowOf(page, 'Alpha?').tap();
  await page.getByRole('link', { name: 'Back to the inbox' }).tap();
  await untilVisible(focusedRow(page).filter({ hasText: 'Alpha?' }));
  await rowOf(page, 'Beta?').waitFor({ state: 'visible' });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  // Above the keyboard of a phone, the question has 200 px.
  await rowOf(page, 'Alpha?').tap();
  await page.getByRole('textbox', { name: 'Answer' }).tap();
  await page.setViewportSize({ width: 360, height: 460 });
  const question = page.locator('[data-pane] > :has([aria-label="Question"])');
  await eventually('room for the question', async () => ((await question.boundingBox())?.height ?? 0) >= 200);
  await page.setViewportSize({ width: 360, height: 640 });
  await page.getByRole('heading', { level: 1 }).last().focus();
  await page.getByRole('link', { name: 'Back to the inbox' }).tap();
  expect(await checkAccessibility(page)).toEqual([]);
  await page.keyboard.press('k');
  await untilVisible(focusedRow(page).filter({ hasText: 'Beta?' }));
  await device[Symbol.asyncDispose]();
});

test('a request that arrives above the screen does not move the rows on it', async () => {
  const questions = Array.from({ length: 14 }, (_, index) => `Question ${index}?`);
  const { device, agent, page } = await openInboxWith('steady', questions.slice(0, 1));
  for (const question of questions.slice(1)) await agent.askPlainly({ question, plaintext: question });
  await untilVisible(rowOf(page, 'Question 13?').filter({ hasText: 'build agent' }));
  const row = rowOf(page, 'Question 3?');
  await row.scrollIntoViewIfNeeded();
  let before = NaN;
  // The rows above it get their heights when they are shown first.
  await eventually('it stands still', async () => {
    const last = before;
    before = (await row.boundingBox())?.y ?? NaN;
    return before === last;
  });
  const place = page.locator('li').filter({ hasText: 'Question 3?' });
  expect(await place.getAttribute('aria-posinset')).toBe('11');
  await agent.askPlainly({ question: 'The newest?', plaintext: 'Now.' });
  await untilVisible(place.and(page.locator('[aria-posinset="12"]')));
  expect((await row.boundingBox())?.y).toBe(before);
  await device[Symbol.asyncDispose]();
});

test('a new request has a mark until it is opened', async () => {
  const { device, agent, page } = await openInboxWith('visitor', ['Alpha?']);
  const { requestId } = await agent.askPlainly({ question: 'Beta?', plaintext: 'Now.' });
  const isNew = page.locator('[data-request]').filter({ hasText: /^New\. / });
  await untilVisible(isNew.filter({ hasText: 'Beta?' }).filter({ hasText: 'build agent' }));
  expect(await isNew.count()).toBe(1);
  await rowOf(page, 'Beta?').click();
  await untilRemoved(isNew);
  await untilStored(page, `"opened":[["${requestId}"`);
  await page.reload();
  await untilVisible(rowOf(page, 'Beta?'));
  expect(await isNew.count()).toBe(0);
  await device[Symbol.asyncDispose]();
});

test('an empty inbox shows a command that submits a request, and then this request', async () => {
  const device = await product.signIn('newcomer');
  const page = await device.open();
  await page.getByRole('button', { name: 'Make a key for an agent' }).click();
  await untilVisible(page.getByText('The key is in the command below.'));
  expect(await checkAccessibility(page)).toEqual([]);
  const command = await page.locator('pre').innerText();
  const [, url = ''] = /^curl (\S+)/.exec(command) ?? [];
  const [, body = ''] = /-d '([^']*)'$/.exec(command) ?? [];
  const headers = { 'content-type': 'application/json' };
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(201);
  await untilVisible(rowOf(page, 'May I remove the lock file?').and(page.locator('[aria-current]')));
  await device[Symbol.asyncDispose]();
});

test('the first request opens automatically, also when its count is read before its row', async () => {
  const device = await product.signIn('counted-first');
  const agent = await device.newAgent('build agent');
  const hold = async (isHeld: (url: URL) => boolean) => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await device.context.route(isHeld, (route) => released.then(() => route.continue()));
    return release;
  };
  const releaseStream = await hold(({ origin }) => origin === product.relay.hubUrl);
  const releaseList = await hold(({ pathname }) => pathname === '/api/requests');
  const page = await device.open();
  await untilVisible(page.getByRole('heading', { name: 'No requests yet' }));
  await agent.askPlainly({ question: 'Alpha?', plaintext: 'Now.' });
  // The events before it are missed.
  releaseStream();
  await waitForTitle(page, '(1)');
  releaseList();
  await untilVisible(rowOf(page, 'Alpha?').and(page.locator('[aria-current]')));
  await device[Symbol.asyncDispose]();
});

test('a hidden page shows a notification of a new request, with the question only if the expert allows it', async () => {
  const { device, agent, page } = await openInboxWith('notified', ['Alpha?'], {
    permissions: ['notifications'],
  });
  const setPreference = (notifications: string) =>
    page.evaluate(`
      localStorage.setItem('expert-relay:preferences', '{"notifications":"${notifications}"}');
      dispatchEvent(new StorageEvent('storage', { key: 'expert-relay:preferences' }));
    `);
  const shown = () =>
    page.evaluate<{ title: string; body: string }[]>(`(async () => {
      const registration = await navigator.serviceWorker.getRegistration('/dashboard/');
      const notifications = await registration.getNotifications();
      return notifications.map(({ title, body }) => ({ title, body }));
    })()`);
  const notificationOf = (refCode: string) =>
    eventually(`a notification about ${refCode}`, async () =>
      (await shown()).find(({ body }) => body.startsWith(refCode)),
    );
  const announced = (question: string) =>
    untilVisible(page.getByRole('status').filter({ hasText: question }));

  await agent.askPlainly({ question: 'Off?', plaintext: 'Now.' });
  await announced('Off?');
  expect(await shown()).toEqual([]);

  await setPreference('on');
  await agent.askPlainly({ question: 'Visible?', plaintext: 'Now.' });
  await announced('Visible?');
  // A notification would be shown when the row is complete.
  await untilVisible(
    page.locator('[data-request]', { hasText: 'Visible?' }).filter({ hasText: 'build agent' }),
  );
  expect(await shown()).toEqual([]);

  // A headless browser cannot hide a page, so the service worker is changed to see all pages as hidden. The browser may end it at
  // any time, and the next one begins unchanged.
  const service = () => device.context.serviceWorkers().at(-1) as Worker;
  const hidePages = () =>
    service().evaluate(`{
    const matchAll = clients.matchAll.bind(clients);
    clients.matchAll = async (options) => (await matchAll(options)).map((page) => ({
      url: page.url,
      visibilityState: 'hidden',
      focus: async () => page,
      postMessage: (message) => page.postMessage(message),
    }));
  }`);
  await hidePages();
  const secret = await agent.askPlainly({ question: 'Secret?', plaintext: 'Now.' });
  expect(await notificationOf(secret.refCode)).toEqual({
    // The page waits a limited time for the name of the agent.
    title: expect.stringMatching(/^(build agent|An agent) asks a question$/),
    body: secret.refCode,
  });
  await setPreference('with-question');
  await hidePages();
  const open = await agent.askPlainly({ question: 'Open?', plaintext: 'Now.' });
  expect(await notificationOf(open.refCode)).toMatchObject({ body: `${open.refCode}\nOpen?` });
  const codes = (await shown()).map(({ body }) => body.split('\n')[0]);
  expect(codes.filter((code) => code === secret.refCode || code === open.refCode)).toHaveLength(2);

  await service().evaluate(`(async () => {
    const [notification] = await registration.getNotifications({ tag: '${open.requestId}' });
    dispatchEvent(new NotificationEvent('notificationclick', { notification }));
  })()`);
  await page.waitForURL(`**/dashboard/requests/${open.requestId}`);
  expect(device.problems).toEqual([]);
  await device[Symbol.asyncDispose]();
});
