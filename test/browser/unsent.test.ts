import type { Conversation } from '@expert-relay/sdk';
import { eventually } from '@expert-relay/testkit';
import { describe, expect } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { makeExpertKey } from './setup/make-expert-key.ts';
import { button, type Device, newUser, type TestAgent } from './setup/open-product.ts';
import { readStoredKeys } from './setup/read-stored-keys.ts';
import { useProduct } from './setup/use-product.ts';

/* Answers that could not be sent: what becomes of them, and where the expert learns of it. */

const product = useProduct({ own: { gateway: { RELAY_RATE_LIMIT_PAGES: '100000' } } });

const box = (page: Page) => page.getByRole('textbox', { name: 'Answer' });
const row = (page: Page, requestId: string) => page.locator(`[data-request="${requestId}"]`);
const held = (page: Page) => page.getByRole('region', { name: 'The agent wrote meanwhile' });
const messages = /\/api\/requests\/[^/]+\/messages$/;
const text = 'A long answer that took me ten minutes.';

/** Opens an encrypted request, and picks it up. */
async function openPickedUp(device: Device, conversation: Conversation): Promise<Page> {
  const page = await device.open(`/requests/${conversation.requestId}`);
  await button(page, 'Answer').click();
  await makeExpertKey(page);
  await box(page).waitFor();
  return page;
}

/** Lets no message through until `letThrough` is called. `failed` resolves once one was tried. */
async function cutMessages(page: Page) {
  const cut = (route: Route) => route.abort('internetdisconnected');
  await page.route(messages, cut);
  const failed = page.waitForEvent('requestfailed', (call) => messages.test(call.url()));
  return { failed, letThrough: () => page.unroute(messages, cut) };
}

const rolesOf = async (device: Device, requestId: string) =>
  (await device.call<{ messages: { role: string }[] }>('GET', `/api/requests/${requestId}`)).messages.map(
    ({ role }) => role,
  );

/** Two encrypted requests: the answer to one of them waits, and the other one is on the screen. */
async function leaveUnsent(device: Device, agent: TestAgent) {
  const other = await agent.ask('Which zone?');
  const conversation = await agent.ask('Which region?');
  const page = await openPickedUp(device, conversation);
  await row(page, other.requestId).waitFor();
  const { failed, letThrough } = await cutMessages(page);
  await box(page).fill(text);
  await button(page, 'Send and next').click();
  // What is on its way while the agent writes may arrive.
  await failed;
  await page.waitForURL(`**/${other.requestId}`);
  await row(page, conversation.requestId)
    .getByText(/Sending…|Not sent yet/)
    .waitFor();
  return { conversation, page, letThrough };
}

/** Two plain requests: the first one is open, and the answer to it written. */
async function writeFirst(device: Device, agent: TestAgent) {
  const ask = (question: string) => agent.askPlainly({ question, plaintext: question });
  const second = await ask('Which zone?');
  const first = await ask('Which region?');
  const page = await device.open(`/requests/${first.requestId}`);
  await row(page, second.requestId).waitFor({ state: 'attached' });
  await box(page).fill(text);
  return { first, second, page };
}

describe('an answer that was encrypted before its call failed', () => {
  test.each([false, true])(
    'is held if the agent writes before it is sent again (offline: %p)',
    async (isOffline) => {
      await using device = await product.signIn(newUser());
      await using agent = await device.newAgent();
      const conversation = await agent.ask('May I deploy to eu?');
      const page = await openPickedUp(device, conversation);
      const { failed, letThrough } = await cutMessages(page);
      await box(page).fill('Yes.');
      // The list was read at the pick-up, less than a second ago: the answer is encrypted without reading it again.
      await button(page, 'Send').click();
      await failed;
      if (isOffline) await device.context.setOffline(true);
      await conversation.refresh();
      await conversation.send('Stop: eu is on fire, wait for me.');
      await letThrough();
      if (isOffline) await device.context.setOffline(false);
      await held(page).waitFor();
      expect(await rolesOf(device, conversation.requestId)).toEqual(['consumer']);
      await page.getByText('Stop: eu is on fire').waitFor();
      // Nothing was sent that the agent could have seen.
      expect(await page.getByText('Written before the agent saw your last answer.').count()).toBe(0);
      expect(await page.getByText('Yes.', { exact: true }).count()).toBe(1);
      await button(page, 'Change it').click();
      await eventually('the text', async () => (await box(page).inputValue()) === 'Yes.');
      await box(page).fill('I wait.');
      await eventually('the answer is sent', async () => {
        if (await button(page, 'Send').isVisible())
          await button(page, 'Send')
            .click({ timeout: 2_000 })
            .catch(() => {});
        return (await rolesOf(device, conversation.requestId)).length === 2;
      });
      expect(await conversation.waitForAnswer({ timeout: 120_000 })).toMatchObject({
        text: 'I wait.',
        seenYourLast: true,
      });
      expect(device.problems).toEqual([]);
    },
  );
});

describe('after "Send and next", the list says of an answer', () => {
  test('that it was refused, and the request leads to it', async () => {
    await using device = await product.signIn(newUser());
    await using agent = await device.newAgent();
    const { first, second, page } = await writeFirst(device, agent);
    const json = { error: 'conversation_full', title: 'It is full', status: 409 };
    await page.route(messages, (route) => route.fulfill({ status: 409, json }));
    await button(page, 'Send and next').click();
    await page.waitForURL(`**/${second.requestId}`);
    await row(page, first.requestId).getByText('Not sent', { exact: true }).waitFor();
    // Also after a reload, and where its row is not in the list.
    await page.goto(`/dashboard/requests/${second.requestId}?filter=answered`);
    const bar = page.getByText('Your answer was not sent: ');
    await bar.getByRole('link', { name: first.refCode }).click();
    await page.getByText('Not sent. This conversation is full').waitFor();
    expect(await bar.count()).toBe(0);
    await button(page, 'Remove').click();
    await row(page, first.requestId).getByText('Not sent', { exact: true }).waitFor({ state: 'detached' });
  });

  test('that the agent has ended the request meanwhile', async () => {
    await using device = await product.signIn(newUser(), { viewport: { width: 390, height: 844 } });
    await using agent = await device.newAgent();
    const { first, second, page } = await writeFirst(device, agent);
    await page.route(messages, async (route) => {
      const headers = { 'x-api-key': agent.apiKey, 'content-type': 'application/json' };
      const url = `${product.relay.gatewayUrl}/api/v1/close/${first.requestId}`;
      await fetch(url, { method: 'POST', headers, body: '{}' });
      await route.continue();
    });
    await button(page, 'Send and next').click();
    await page.waitForURL(`**/${second.requestId}`);
    const bar = page.getByText('Your answer was not sent: ');
    await bar.getByRole('link', { name: first.refCode }).click();
    await page.getByText('The request was ended before this was sent.').waitFor();
    await page.getByText(text).first().waitFor();
  });

  test('that the agent wrote meanwhile', async () => {
    await using device = await product.signIn(newUser());
    await using agent = await device.newAgent();
    const { conversation, page, letThrough } = await leaveUnsent(device, agent);
    await conversation.refresh();
    await conversation.send('Forget it: us is on fire.');
    await letThrough();
    await row(page, conversation.requestId).getByText('Not sent', { exact: true }).waitFor();
    await row(page, conversation.requestId).click();
    await held(page).waitFor();
    expect(await rolesOf(device, conversation.requestId)).toEqual(['consumer']);
  });
});

test('an answer that waited at a reload is sent without its request being opened, once, with two tabs', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const { first, second, page } = await openWaiting(device, agent);
  const other = await device.newTab();
  await other.goto(`/dashboard/requests/${second.requestId}`);
  await page.reload();
  await row(page, first.requestId).getByText('Not sent yet').waitFor();
  await device.context.unroute(messages);
  await Promise.all([page.reload(), other.reload()]);
  await eventually('the answer', async () => (await rolesOf(device, first.requestId)).length > 0);
  for (const tab of [page, other]) {
    await row(tab, second.requestId).waitFor();
    await row(tab, first.requestId).waitFor({ state: 'detached' });
  }
  await page.goto(`/dashboard/requests/${first.requestId}`);
  await page.getByRole('article').getByText(text).waitFor();
  expect(await page.getByText(text).count()).toBe(1);
  expect(await page.locator('[data-delivery]').count()).toBe(0);
  expect(await rolesOf(device, first.requestId)).toEqual(['provider']);
});

/** An answer that waits, with the second request on the screen. */
async function openWaiting(device: Device, agent: TestAgent) {
  const { first, second, page } = await writeFirst(device, agent);
  await device.context.route(messages, (route) => route.abort('internetdisconnected'));
  await button(page, 'Send and next').click();
  await page.waitForURL(`**/${second.requestId}`);
  await row(page, first.requestId)
    .getByText(/Sending…|Not sent yet/)
    .waitFor({ state: 'attached' });
  await eventually('the answer is stored', async () =>
    (await readStoredKeys(page)).some((path) => path.includes('/outbox:')),
  );
  return { first, second, page };
}

const untilSent = (device: Device, requestId: string) =>
  eventually('the answer', async () => (await rolesOf(device, requestId)).length === 1);

describe('an answer that waits is sent from another tab', () => {
  test('when the tab in which it was written was closed', async () => {
    await using device = await product.signIn(newUser());
    await using agent = await device.newAgent();
    await device.context.clock.install();
    const { first, second, page } = await openWaiting(device, agent);
    const other = await device.newTab();
    await other.goto(`/dashboard/requests/${second.requestId}`);
    const noted = row(other, first.requestId).getByText(/Sending…|Not sent yet/);
    await noted.waitFor();
    await other.clock.runFor(5_000);
    await page.close();
    await device.context.unroute(messages);
    await other.clock.fastForward(65_000);
    await untilSent(device, first.requestId);
    await row(other, first.requestId).waitFor({ state: 'detached' });
  });

  test('when a tab that was to send it was suspended', async () => {
    await using device = await product.signIn(newUser());
    await using agent = await device.newAgent();
    const { first, second, page } = await openWaiting(device, agent);
    const { userId } = await device.call<{ userId: string }>('GET', '/api/me');
    const suspended = await device.newTab();
    await suspended.goto('/dashboard/keys');
    await suspended.evaluate(
      `void navigator.locks.request('expert-relay:${userId}:resume:${first.requestId}', () => new Promise(() => {}))`,
    );
    await device.context.clock.install();
    await page.goto(`/dashboard/requests/${second.requestId}`);
    // The page that was left would have sent it.
    await device.context.unroute(messages);
    await row(page, first.requestId)
      .getByText(/Sending…|Not sent yet/)
      .waitFor();
    await eventually('the answer', async () => {
      await page.clock.fastForward(20_000);
      return (await rolesOf(device, first.requestId)).length === 1;
    });
  });
});

describe('there is a way out for an answer that waits', () => {
  const wayOut = (page: Page) => page.locator('[data-delivery]');

  test('while the relay cannot be reached: what is removed is not sent', async () => {
    await using device = await product.signIn(newUser());
    await using agent = await device.newAgent();
    const { first, page } = await writeFirst(device, agent);
    await page.route(messages, (route) => route.abort('internetdisconnected'));
    await button(page, 'Send').click();
    await wayOut(page).getByText('Copy text').waitFor();
    await wayOut(page).getByRole('button', { name: 'Remove' }).click();
    await wayOut(page).waitFor({ state: 'detached' });
    await page.unroute(messages);
    await page.reload();
    await box(page).fill('This one.');
    await button(page, 'Send').click();
    await untilSent(device, first.requestId);
    expect(await page.getByText(text).count()).toBe(0);
  });

  test('of a conversation whose keys have changed', async () => {
    await using device = await product.signIn(newUser());
    await using agent = await device.newAgent();
    const { conversation, page, letThrough } = await leaveUnsent(device, agent);
    const { providerSignPubKey } = await device.call<{ providerSignPubKey: string }>(
      ...(['GET', `/api/requests/${conversation.requestId}`] as const),
    );
    const lie = `**/api/requests/${conversation.requestId}?*`;
    await page.route(lie, async (route) => {
      const answer = await route.fetch();
      const json = (await answer.json()) as object;
      await route.fulfill({ response: answer, json: { ...json, consumerSignPubKey: providerSignPubKey } });
    });
    await page.reload();
    const bar = page.getByText('Your answer was not sent: ');
    await page.getByRole('link', { name: 'Settings' }).click();
    await bar.getByRole('link', { name: conversation.refCode }).click();
    await page.getByText('Not sent: see the warning below.').waitFor();
    await wayOut(page).getByText('Copy text').waitFor();
    await wayOut(page).getByRole('button', { name: 'Remove' }).click();
    await wayOut(page).waitFor({ state: 'detached' });
    await bar.waitFor({ state: 'detached' });
    await page.unroute(lie);
    await letThrough();
    await page.reload();
    await box(page).waitFor();
    expect(await wayOut(page).count()).toBe(0);
    expect(await rolesOf(device, conversation.requestId)).toEqual([]);
  });

  test('of a request that the relay has removed', async () => {
    await using device = await product.signIn(newUser(), { viewport: { width: 390, height: 844 } });
    await using agent = await device.newAgent();
    const { first, second, page } = await openWaiting(device, agent);
    const gone = { status: 404, json: { error: 'not_found', title: 'It is gone', status: 404 } };
    await page.route(`**/api/requests/${first.requestId}?*`, (route) => route.fulfill(gone));
    await page.goto(`/dashboard/requests/${second.requestId}`);
    const bar = page.getByText('Your answer was not sent: ');
    await bar.getByRole('link').click();
    await page.getByRole('heading', { name: 'There is no such request' }).waitFor();
    await wayOut(page).getByText(text).waitFor();
    await wayOut(page).getByText('The relay has removed this request.').waitFor();
    await page.reload();
    await wayOut(page).getByText(text).waitFor();
    await wayOut(page).getByText('Copy text').waitFor();
    await wayOut(page).getByRole('button', { name: 'Remove' }).click();
    await wayOut(page).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('heading', { name: 'There is no such request' }).waitFor();
    expect(await wayOut(page).count()).toBe(0);
    expect(await bar.count()).toBe(0);
  });
});

describe('what the page says', () => {
  test('of a decision that was made offline is shown at once, and after a reload that it is to be made again', async () => {
    await using device = await product.signIn(newUser());
    await using agent = await device.newAgent();
    const question = 'Which region?';
    const form = { type: 'object', properties: { region: { type: 'string', title: 'Region' } } };
    const asked = { question, plaintext: question, answerForm: JSON.stringify(form) };
    const { requestId } = await agent.askPlainly(asked);
    const page = await device.open(`/requests/${requestId}`);
    await page.getByRole('textbox', { name: 'Region' }).fill('eu-west-1');
    await eventually(
      'the form was shown',
      async () => !(await button(page, 'Approve').getAttribute('aria-disabled')),
    );
    const everything = /\/assets\/|\/api\//;
    await page.route(everything, (route) => route.abort('internetdisconnected'));
    await device.context.setOffline(true);
    await button(page, 'Approve').click();
    const decision = page.locator('[data-delivery]');
    await decision.getByText('eu-west-1').waitFor();
    expect(await decision.innerText()).toMatch(/Approved\s+Region\s+eu-west-1/);
    expect(
      await page.evaluate('getComputedStyle(document.querySelector("[data-delivery] dl")).display'),
    ).toBe('grid');
    await page.unroute(everything);
    await page.route(messages, (route) => route.abort('internetdisconnected'));
    await device.context.setOffline(false);
    await page.reload();
    await page.getByText('Your decision was not sent').waitFor();
    await page.getByText('eu-west-1').waitFor();
    expect(await page.getByText('eu-west-1').count()).toBe(1);
    expect(await page.getByText('the agent wrote meanwhile.').count()).toBe(0);
  });

  test('during too many calls is the same everywhere', async () => {
    await using device = await product.signIn(newUser());
    await using agent = await device.newAgent();
    const { first, second, page } = await writeFirst(device, agent);
    const limited = {
      status: 429,
      headers: { 'retry-after': '40' },
      json: { error: 'rate_limited', status: 429 },
    };
    await page.route(/\/api\//, (route) => route.fulfill(limited));
    await button(page, 'Send').click();
    await page.getByText('Too many calls. This page continues at').waitFor();
    await page.getByText('Waiting: too many calls. It will be sent within a minute.').waitFor();
    await row(page, first.requestId).getByText('Not sent yet').waitFor();
    await row(page, second.requestId).click();
    await page.getByRole('heading', { name: 'Too many calls in one minute.' }).waitFor();
    expect(await page.getByText('cannot be reached').count()).toBe(0);
  });

  test('after a sign-out while an answer was sent is that it was kept', async () => {
    await using phone = await product.signIn('dev');
    await using device = await product.signIn('dev');
    await using agent = await device.newAgent();
    const { first, page } = await writeFirst(device, agent);
    const { sessions } = await device.call<{ sessions: { id: string; current: boolean }[] }>(
      'GET',
      '/api/sessions',
    );
    const own = sessions.find(({ current }) => current)?.id;
    await page.route(messages, async (route) => {
      await phone.call('DELETE', `/api/sessions/${own}`);
      await route.continue();
    });
    await button(page, 'Send').click();
    await page.getByText('You were signed out. What you typed is kept.').waitFor();
    await page.getByText('Waiting: it will be sent once you have signed in again.').waitFor();
    await page.unroute(messages);
    await button(page, 'Sign in again').click();
    await page.getByRole('button', { name: /Sign in as dev/ }).click();
    await eventually('the answer', async () => (await rolesOf(phone, first.requestId)).length === 1);
  });
});

test('a page whose styles could not be loaded at first is shown with them', async () => {
  await using device = await product.signIn(newUser());
  const page = await device.open('/keys');
  await page.getByRole('heading', { name: 'Agent keys' }).waitFor();
  let failures = 0;
  await page.route(/\/assets\/.*\.css$/, async (route) => {
    failures += 1;
    await (failures === 1 ? route.abort('internetdisconnected') : route.continue());
  });
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  const rules = `[...document.querySelectorAll('link[rel=stylesheet]')].map(({ sheet }) => {
    try { return sheet.cssRules.length; } catch { return 0; }
  })`;
  expect(failures).toBeGreaterThan(1);
  await eventually('all styles', async () => !(await page.evaluate<number[]>(rules)).includes(0));
});
