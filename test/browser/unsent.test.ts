import type { Conversation } from '@expert-relay/sdk';
import { eventually } from '@expert-relay/testkit';
import { describe, expect } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { withExpertKey } from './setup/make-expert-key.ts';
import { button, type Device, newUser, type TestAgent } from './setup/open-product.ts';
import { pressUnsent } from './setup/press-unsent.ts';
import { readStoredKeys } from './setup/read-stored-keys.ts';
import { useProduct } from './setup/use-product.ts';

/* Answers that could not be sent: what becomes of them, and where the expert learns of it. */

const product = useProduct({ own: { gateway: { RELAY_RATE_LIMIT_PAGES: '100000' } } });

const box = (page: Page) => page.getByRole('textbox', { name: 'Answer' });
const row = (page: Page, requestId: string) => page.locator(`[data-request="${requestId}"]`);
const held = (page: Page) => page.getByRole('region', { name: 'The agent wrote meanwhile' });
const messages = /\/api\/requests\/[^/]+\/messages$/;
const text = 'A long answer that took me ten minutes.';

/** Opens an encrypted request with the expert key, so that an answer picks it up. */
async function openWithKey(device: Device, conversation: Conversation): Promise<Page> {
  await withExpertKey(device);
  const page = await device.open(`/requests/${conversation.requestId}`);
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
  const page = await openWithKey(device, conversation);
  await row(page, other.requestId).waitFor();
  const { failed, letThrough } = await cutMessages(page);
  await box(page).fill(text);
  await button(page, 'Send and next').click();
  // What is on its way while the agent writes may arrive.
  await failed;
  await page.waitForURL(`**/${other.requestId}`);
  await row(page, conversation.requestId)
    .getByText(/Sending…|Not sent/)
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
      const page = await openWithKey(device, conversation);
      const { failed, letThrough } = await cutMessages(page);
      await box(page).fill('Yes.');
      // It picks the request up, and the list is read then.
      await button(page, 'Send').click();
      await failed;
      if (isOffline) await device.context.setOffline(true);
      await conversation.refresh();
      await conversation.send('Stop: eu is on fire, wait for me.');
      if (isOffline) await device.context.setOffline(false);
      // An answer that is let through before that may cross the agent's message.
      await held(page).waitFor();
      await letThrough();
      expect(await rolesOf(device, conversation.requestId)).toEqual(['consumer']);
      await page.getByRole('article').getByText('Stop: eu is on fire').waitFor();
      // Nothing was sent that the agent could have seen.
      expect(await page.getByText('Written before the agent saw your last answer.').count()).toBe(0);
      expect(await page.getByText('Yes.', { exact: true }).count()).toBe(1);
      await pressUnsent(page, 'Change it');
      await eventually('the text', async () => (await box(page).inputValue()) === 'Yes.');
      await box(page).fill('I wait.');
      await eventually('the answer is sent', async () => {
        if (await button(page, 'Send').isVisible())
          await button(page, 'Send')
            .click({ timeout: 2_000 })
            .catch(() => {});
        return (await rolesOf(device, conversation.requestId)).length === 2;
      });
      expect(await conversation.waitForAnswer({ timeoutMs: 120_000 })).toMatchObject({
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
    await pressUnsent(page, 'Remove');
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
    await row(page, conversation.requestId).getByText('Not sent', { exact: true }).waitFor();
    await row(page, conversation.requestId).click();
    await held(page).waitFor();
    await letThrough();
    expect(await rolesOf(device, conversation.requestId)).toEqual(['consumer']);
  });
});

/** An answer of a plain request, in each state that it can be in before its agent has it. */
const states = ['typed', 'sending', 'waiting', 'held', 'refused', 'sent elsewhere'] as const;

describe('no text of an expert is lost', () => {
  const signInAgain = async (page: Page, user: string) => {
    await page.getByText('You were signed out.').waitFor();
    await button(page, 'Sign in again').click();
    await page.getByRole('button', { name: new RegExp(`Sign in as ${user}`) }).click();
    await page.waitForURL('**/dashboard/requests/**');
  };

  test.each(states)(
    'that is %s: in a second tab, after a reload, after the session has ended, after the end, and when the request is gone',
    async (state) => {
      await using phone = await product.signIn('dev');
      await using device = await product.signIn('dev');
      await using agent = await device.newAgent();
      const { requestId } = await agent.askPlainly({ question: 'Which region?', plaintext: 'Which region?' });
      const path = `/dashboard/requests/${requestId}`;
      // Not by routes: a call that one of them holds when its page is left may still reach the relay.
      await device.context.addInitScript(cutAnswers(state));
      const page = await device.open(`/requests/${requestId}`);
      const other = await device.newTab();
      const callAgent = (action: string, body: object) =>
        fetch(`${product.relay.gatewayUrl}/api/v1/${action}/${requestId}`, {
          method: 'POST',
          headers: { 'x-api-key': agent.apiKey, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
      const isWritten = async (tab: Page) =>
        [
          await tab.locator('body').innerText(),
          ...(await tab
            .locator('textarea')
            .evaluateAll((all) => all.map((one) => (one as unknown as { value: string }).value))),
        ].some((shown) => shown.includes(text));
      const untilWritten = (tab: Page, when: string) => eventually(`the text ${when}`, () => isWritten(tab));

      await box(page).waitFor();
      if (state === 'held') {
        // The page reads what the agent writes now only after the answer was written.
        await page.route(`**/api/requests/${requestId}?*`, async (route) => {
          const isSent = (await page.locator('[data-delivery]').count()) > 0;
          await (isSent ? route.continue() : route.fulfill({ status: 503, json: {} })).catch(() => {});
        });
        await new Promise((resolve) => setTimeout(resolve, 1_100));
        await callAgent('message', { role: 'consumer', plaintext: 'WAIT.' });
      }
      await box(page).fill(text);
      if (state === 'waiting') await device.context.setOffline(true);
      if (state !== 'typed') await button(page, 'Send').click();
      const shown = {
        typed: box(page),
        sending: page.getByText('Sending…', { exact: true }),
        waiting: page.getByText('Not sent yet.'),
        held: held(page),
        refused: page.getByText('Not sent. This conversation is full'),
        'sent elsewhere': page.getByRole('article').getByText(text),
      }[state];
      await shown.waitFor();
      await device.context.setOffline(false);
      await page.unroute(`**/api/requests/${requestId}?*`);

      await other.goto(path);
      await untilWritten(other, 'in a second tab');
      await eventually(
        'the text to be stored',
        async () =>
          (await readStoredKeys(page)).some((name) =>
            name.endsWith(`${state === 'typed' ? 'draft' : 'pending'}:${requestId}`),
          ) || state === 'sent elsewhere',
      );
      await page.reload();
      await untilWritten(page, 'after a reload');
      await other.close();

      const { sessions } = await device.call<{ sessions: { id: string; current: boolean }[] }>(
        'GET',
        '/api/sessions',
      );
      await phone.call('DELETE', `/api/sessions/${sessions.find(({ current }) => current)?.id}`);
      await page.reload();
      if (!page.url().includes('/auth')) await signInAgain(page, 'dev').catch(() => {});
      await page.goto(path);
      if (page.url().includes('/auth')) await page.getByRole('button', { name: /Sign in as dev/ }).click();
      await untilWritten(page, 'after the session has ended');

      await callAgent('close', {});
      await page.getByText('This request has ended.').waitFor();
      await untilWritten(page, 'after the end');
      if (state !== 'sent elsewhere') await button(page, 'Copy text').first().waitFor();

      const gone = { status: 404, json: { error: 'not_found', title: 'It is gone', status: 404 } };
      await page.route(`**/api/requests/${requestId}?*`, (route) => route.fulfill(gone));
      await page.reload();
      await page.getByRole('heading', { name: 'There is no such request' }).waitFor();
      if (state === 'sent elsewhere') return;
      await untilWritten(page, 'when the request is gone');
      await button(page, 'Remove').click();
      await eventually('the text to be removed', async () => !(await isWritten(page)));
      await page.evaluate(`localStorage.setItem('test:uncut', 'yes')`);
      await page.unroute(`**/api/requests/${requestId}?*`);
      await page.reload();
      await page.getByText('This request has ended.').waitFor();
      expect(await isWritten(page)).toBe(false);
      expect(await rolesOf(device, requestId)).not.toContain('provider');
    },
  );
});

/** A script by which the page's calls with an answer end as the state wants it, until `test:uncut` is stored. */
const cutAnswers = (state: (typeof states)[number]): string => `{
  const realFetch = fetch;
  const isAnswer = (url, method) => method === 'POST' && /\\/api\\/requests\\/[^/]+\\/messages$/.test(url);
  const ends = {
    sending: ({ signal }) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    waiting: () => Promise.reject(new TypeError('Failed to fetch')),
    refused: async () => Response.json({ error: 'conversation_full', title: 'It is full', status: 409 }, { status: 409 }),
  };
  globalThis.fetch = (input, init = {}) => {
    const end = ends['${state}'];
    const isCut = end && localStorage.getItem('test:uncut') === null && isAnswer(String(input), init.method);
    return isCut ? end(init) : realFetch(input, init);
  };
}`;

test('an answer that waited at a reload is sent when its request is opened, once, also by two tabs', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const { first, second, page } = await writeFirst(device, agent);
  await device.context.route(messages, (route) => route.abort('internetdisconnected'));
  await button(page, 'Send and next').click();
  await page.waitForURL(`**/${second.requestId}`);
  await eventually('the answer is stored', async () =>
    (await readStoredKeys(page)).some((path) => path.includes('/pending:')),
  );
  const other = await device.newTab();
  await Promise.all([page.reload(), other.goto(`/dashboard/requests/${second.requestId}`)]);
  for (const tab of [page, other]) await row(tab, first.requestId).getByText('Not sent').waitFor();
  await device.context.unroute(messages);
  for (const tab of [page, other]) await row(tab, first.requestId).click();
  for (const tab of [page, other]) {
    await tab.getByRole('article').getByText(text).waitFor();
    await tab.locator('[data-delivery]').waitFor({ state: 'detached' });
    expect(await tab.getByText(text).count()).toBe(1);
    await row(tab, first.requestId).waitFor({ state: 'detached' });
  }
  expect(await rolesOf(device, first.requestId)).toEqual(['provider']);
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
    await pressUnsent(page, 'Remove');
    await wayOut(page).waitFor({ state: 'detached' });
    await page.unroute(messages);
    await page.reload();
    await box(page).fill('This one.');
    await button(page, 'Send').click();
    await eventually('the answer', async () => (await rolesOf(device, first.requestId)).length === 1);
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
    await bar.getByRole('link').click();
    await page.getByText('Not sent: see the warning.').waitFor();
    await wayOut(page).getByText('Copy text').waitFor();
    await pressUnsent(page, 'Remove');
    await wayOut(page).waitFor({ state: 'detached' });
    await bar.waitFor({ state: 'detached' });
    await page.unroute(lie);
    await letThrough();
    await page.reload();
    await box(page).waitFor();
    expect(await wayOut(page).count()).toBe(0);
    expect(await rolesOf(device, conversation.requestId)).toEqual([]);
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
    await page.getByText('Too many calls: it is sent within a minute.').waitFor();
    await row(page, first.requestId).getByText('Not sent').waitFor();
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
    await page.getByText('It is sent once you have signed in again.').waitFor();
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
