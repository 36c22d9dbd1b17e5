import { eventually } from '@expert-relay/testkit';
import { describe, expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { chooseAction } from './setup/choose-action.ts';
import { makeExpertKey, withExpertKey } from './setup/make-expert-key.ts';
import { button, newUser } from './setup/open-product.ts';
import { decide, everyField } from './setup/sample-forms.ts';
import { setAge } from './setup/set-age.ts';
import { useProduct } from './setup/use-product.ts';

/* An expert with a phone: little height above the keyboard, and a finger instead of a mouse. */

const product = useProduct();
const upright = { width: 360, height: 740 };
const aboveKeyboard = { width: 360, height: 400 };
const phone = { viewport: upright, hasTouch: true, isMobile: true, locale: 'en-GB' };
const approval = { type: 'object', properties: {} } as const;
const longQuestion = 'May I? '.repeat(400);

const signIn = () => product.signIn(newUser(), phone);

/** Waits until an element is between the header and the reply box. */
const untilInView = (page: Page, element: Locator) =>
  eventually('it is in view', () => isInView(page, element));

async function isInView(page: Page, element: Locator): Promise<boolean> {
  const found = await element.boundingBox();
  const view = await page.locator('[data-pane] > :nth-child(2)').boundingBox();
  if (!found || !view) return false;
  return found.y >= view.y - 1 && found.y + found.height <= view.y + view.height + 1;
}

const focusIn = (page: Page, selector: string) =>
  eventually(`the focus is in ${selector}`, () =>
    page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`),
  );

describe('a form', () => {
  test('above the keyboard, the field that is typed in and the decision are in view', async () => {
    await using device = await signIn();
    await using agent = await device.newAgent();
    const { requestId } = await agent.relay.ask({ question: 'What do you want?', form: everyField });
    const page = await device.open(`/requests/${requestId}`);
    for (const label of ['Note', 'Email', 'Begin', 'Pods']) {
      await page.setViewportSize(upright);
      await page.getByLabel(label).focus();
      await page.setViewportSize(aboveKeyboard);
      await button(page, 'Write a message').waitFor({ state: 'hidden' });
      await page.getByLabel(label).scrollIntoViewIfNeeded();
      await untilInView(page, page.getByLabel(label));
      const { y = 0, height = 0 } = (await button(page, 'Approve').boundingBox()) ?? {};
      expect(y + height).toBeLessThanOrEqual(aboveKeyboard.height);
      const room = (await page.locator('[data-pane] > :nth-child(2)').boundingBox())?.height;
      expect(room).toBeGreaterThan(160);
    }
    await page.setViewportSize(upright);
    await button(page, 'Write a message').waitFor();
    expect(device.problems).toEqual([]);
  });

  test('an approval leaves no empty box, and a long one is shown from its first field on', async () => {
    await using device = await signIn();
    await using agent = await device.newAgent();
    const asked = await agent.relay.ask({ question: 'May I?', form: approval });
    const page = await device.open(`/requests/${asked.requestId}`);
    const form = page.locator('[data-form]');
    // Without a heading and fields, it has no height.
    await form.waitFor({ state: 'attached' });
    expect((await form.boundingBox())?.height).toBeLessThan(32);
    // It fits without scrolling: the press is taken at once.
    await button(page, 'Approve').and(page.locator(':not([aria-disabled])')).waitFor();

    const { requestId } = await agent.relay.ask({ question: longQuestion, form: everyField });
    await device.open(`/requests/${requestId}`);
    await page.locator('[data-end=question]').waitFor({ state: 'attached' });
    // A press before the question was read scrolls to its end, and then to the form.
    await button(page, 'Approve').tap({ force: true });
    await eventually('the question was read', async () => {
      await button(page, 'Approve').tap({ force: true });
      return isInView(page, page.locator('[data-form] h2'));
    });
  });

  test('a decision leaves the keyboard closed; writing instead, and going back, takes the focus there', async () => {
    await using device = await signIn();
    await using agent = await device.newAgent();
    await withExpertKey(device);
    const conversation = await agent.relay.ask({ question: 'May I?', form: approval });
    const page = await device.open(`/requests/${conversation.requestId}`);
    await button(page, 'Write a message').tap();
    await focusIn(page, 'textarea');
    await button(page, 'Back to the form').tap();
    await focusIn(page, '[data-form]');
    await page.reload();
    await button(page, 'Write a message').tap();
    await focusIn(page, 'textarea');
    await button(page, 'Back to the form').tap();
    await focusIn(page, '[data-form]');
    await decide(page, 'Approve');
    await page.getByText('Sent', { exact: true }).waitFor();
    await focusIn(page, '[data-pane] h1');
  });
});

test('a confidential question is read before the keyboard opens', async () => {
  await using device = await signIn();
  await using agent = await device.newAgent();
  const conversation = await agent.relay.ask({ question: 'Which of the two?', confidential: true });
  // The agent is away.
  agent.relay.stop();
  const page = await device.open(`/requests/${conversation.requestId}`);
  await button(page, 'Open').tap();
  await makeExpertKey(page);
  await page.getByText('The agent is sending its question.').waitFor();
  await focusIn(page, '[data-pane] h1');
});

test('an answer that was not sent is in view after the page was opened again', async () => {
  await using device = await signIn();
  await using agent = await device.newAgent();
  await withExpertKey(device);
  const { requestId } = await agent.relay.ask({ question: longQuestion });
  const page = await device.open(`/requests/${requestId}`);
  await page.locator('[data-end=question]').scrollIntoViewIfNeeded();
  await page.route('**/messages', (route) => route.fulfill({ status: 503, json: {} }));
  const box = page.getByRole('textbox', { name: 'Answer' });
  await box.fill('Yes, you may.');
  await button(page, 'Send').tap();
  // Until then, the text is stored as a draft, and comes back in the text box.
  await page.getByText('Not sent yet.').waitFor();
  await page.reload();
  const answer = page.locator('[data-delivery]').getByText('Yes, you may.');
  await answer.waitFor();
  // It stands in place of the text box.
  const { y = -1, height = 0 } = (await answer.boundingBox()) ?? {};
  expect(y).toBeGreaterThan(0);
  expect(y + height).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0);
});

test('a row has whole tags, the age of what it reports, and almost two hours are not one', async () => {
  await using device = await signIn();
  await using agent = await device.newAgent();
  const tags = ['production', 'eu-west-1', 'y', 'z'.repeat(40)];
  const { requestId } = await agent.askPlainly({ question: 'May I?', plaintext: 'May I?', tags });
  await setAge(product.relay.databaseUrl, requestId, 5);
  await device.call('POST', `/api/requests/${requestId}/messages`, { plaintext: 'Yes.' });
  await agent.sendPlainly(requestId, 'And now?');
  const soon = await agent.relay.ask({ question: 'How long?', expiresInMs: 7_000_000, tags });
  const page = await device.open('/requests');
  const row = page.locator(`[data-request="${requestId}"]`);
  await row.getByText(/^Follow-up · (just now|\d min)/).waitFor();
  await page
    .locator(`[data-request="${soon.requestId}"]`)
    .getByText(/^11\d min left$/)
    .waitFor();
  // Those of the second line are hidden as a whole.
  const cut = await page.evaluate<string[]>(`[...document.querySelectorAll('[data-request] bdi')]
    .filter((tag) => tag.getBoundingClientRect().top < tag.parentElement.getBoundingClientRect().bottom)
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
    .map(({ textContent }) => textContent)`);
  expect(cut).toEqual([]);
});

test('the number that waits is the same on all pages: without what is snoozed', async () => {
  await using device = await signIn();
  await using agent = await device.newAgent();
  const { requestId } = await agent.askPlainly({ question: 'First?', plaintext: 'First?' });
  await agent.askPlainly({ question: 'Second?', plaintext: 'Second?' });
  const page = await device.open(`/requests/${requestId}`);
  await chooseAction(page, 'Snooze');
  await button(page, 'Until the agent writes').tap();
  const count = (text: string) =>
    eventually(`the title begins with ${text}`, async () => (await page.title()).startsWith(text));
  await count('(1)');
  await device.open('/settings');
  await count('(1)');
});

test('Send is in view with a long text and eight files, also above the keyboard', async () => {
  await using device = await signIn();
  await using agent = await device.newAgent();
  const { requestId } = await agent.relay.ask({ question: 'Which logs?' });
  const page = await device.open(`/requests/${requestId}`);
  const box = page.getByRole('textbox', { name: 'Answer' });
  const buffer = Buffer.alloc(2_000);
  const files = Array.from({ length: 8 }, (_, at) => ({ name: `${at}.log`, mimeType: 'text/plain', buffer }));
  await page.getByLabel('Files').setInputFiles(files);
  await page.getByText('7.log').waitFor();
  await box.fill('One more line.\n'.repeat(40));
  for (const size of [upright, aboveKeyboard, { width: 844, height: 390 }, { width: 1440, height: 900 }]) {
    await page.setViewportSize(size);
    await eventually('Send is in view', async () => {
      const { y = size.height, height = 0 } = (await button(page, 'Send').boundingBox()) ?? {};
      return y + height <= size.height;
    });
    const header = await page.locator('[data-pane] header').boundingBox();
    expect(header?.height).toBeLessThan(size.height < 500 ? 80 : 150);
  }
});

test('the header of a conversation is one line, on a phone and in a small window', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent('deploy agent');
  const { requestId } = await agent.relay.ask({ question: 'May I?', tags: ['payments', 'eu-west-1'] });
  const page = await device.open(`/requests/${requestId}`);
  await page.getByText('eu-west-1').first().waitFor();
  for (const width of [360, 768, 820, 1024, 1279, 1280]) {
    await page.setViewportSize({ width, height: 740 });
    await eventually(`one line at ${width} px`, async () => {
      const { height = 100 } = (await page.locator('[data-pane] header').boundingBox()) ?? {};
      return height < 60;
    });
    await page.locator('[data-pane]').getByText('Encrypted').waitFor();
  }
});
