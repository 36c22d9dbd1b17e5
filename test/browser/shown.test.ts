import { createRelay } from '@expert-relay/sdk';
import { eventually } from '@expert-relay/testkit';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { makeExpertKey } from './setup/make-expert-key.ts';
import { button, type Device, newUser, type TestAgent } from './setup/open-product.ts';
import { pressDisabled } from './setup/press-disabled.ts';
import { pressOnceRead } from './setup/press-once-read.ts';
import { pressUnsent } from './setup/press-unsent.ts';
import { held, sendHeld } from './setup/send-held.ts';
import { untilAnnounced } from './setup/until-announced.ts';
import { useProduct } from './setup/use-product.ts';

/* What counts as shown to the expert, and what is sent when the agent has written meanwhile. */

const product = useProduct();
const longQuestion = `${'One more line.\n\n'.repeat(80)}May I remove the lock?`;
/** It is there only until the text has been scrolled into view. */
const untilLed = (page: Page) => untilAnnounced(page, 'Read to the end first.');
const box = (page: Page) => page.getByRole('textbox', { name: 'Answer' });

test('a question that was not read to its end is not answered: the press brings the expert to it', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const conversation = await agent.ask(longQuestion);
  const page = await device.open(`/requests/${conversation.requestId}`);
  const end = page.locator('[data-end=question]');
  await end.waitFor({ state: 'attached' });
  await box(page).fill('Yes.');
  expect(await button(page, 'Send').getAttribute('aria-disabled')).toBe('true');
  await button(page, 'Send').waitFor();
  await box(page).press('Control+Enter');
  await untilLed(page);
  const isInView =
    'document.querySelector("[data-end=question]").getBoundingClientRect().bottom < innerHeight';
  await eventually('the end in view', () => page.evaluate<boolean>(isInView));
  await pressOnceRead(page, 'Send');
  // The press waits for the key, and sends then.
  await makeExpertKey(page);
  expect((await conversation.waitForAnswer({ timeoutMs: 120_000 })).text).toBe('Yes.');

  // The same for what the agent writes next, with the keyboard.
  await page.evaluate('document.querySelector("[data-end=question]").scrollIntoView()');
  await conversation.send(`${'And more.\n\n'.repeat(80)}And the cache?`);
  await page.getByText('And the cache?').waitFor({ state: 'attached' });
  await page.evaluate('document.querySelector("[data-end=question]").scrollIntoView()');
  await box(page).fill('Leave it.');
  if ((await button(page, 'Send').getAttribute('aria-disabled')) === 'true') {
    await box(page).press('Control+Enter');
    await untilLed(page);
    expect(await box(page).inputValue()).toBe('Leave it.');
  }
  await pressOnceRead(page, 'Send');
  const answer = await conversation.waitForAnswer({ timeoutMs: 120_000 });
  expect(answer).toMatchObject({ text: 'Leave it.', seenYourLast: true });
  expect(device.problems).toEqual([]);
});

test('a diff with a folded file does not count as shown: the press brings the expert to what is folded', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const file = (name: string) => `diff --git a/${name} b/${name}\n@@ -1 +1,40 @@\n${'+a line\n'.repeat(40)}`;
  const { requestId } = await agent.relay.ask({
    question: 'May I deploy?',
    form: { type: 'object', properties: {} },
    messages: [{ role: 'user', content: file('one') + file('two') }],
    encrypted: false,
  });
  const page = await device.open(`/requests/${requestId}`);
  const files = page.locator('article details summary');
  await files.nth(1).waitFor();
  expect(await button(page, 'Approve').getAttribute('aria-disabled')).toBe('true');
  for (const name of ['one', 'two']) await files.getByText(`a/${name}`).click();
  await page.locator('[data-end="context:0"]').scrollIntoViewIfNeeded();
  const isFocused = (at: number) =>
    files.nth(at).evaluate((summary) => summary === summary.ownerDocument.activeElement);
  for (const at of [0, 1]) {
    await eventually(`the press leads to file ${at}`, async () => {
      if (await isFocused(at)) return true;
      await pressDisabled(page, 'Approve');
      return false;
    });
    expect(await page.locator('[data-undo]').count()).toBe(0);
    await page.keyboard.press('Enter');
  }
  await page.locator('[data-end="context:0"]').scrollIntoViewIfNeeded();
  await pressOnceRead(page, 'Approve');
  await page.locator('[data-undo]').waitFor();
  expect(device.problems).toEqual([]);
});

test('nothing counts as shown while the page is hidden', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const conversation = await agent.ask('May I?');
  await device.context.addInitScript(`{
    let state = 'hidden';
    Object.defineProperty(document, 'visibilityState', { get: () => state });
    globalThis.setVisibility = (next) => {
      state = next;
      document.dispatchEvent(new Event('visibilitychange'));
    };
  }`);
  await device.page.clock.install();
  const page = await device.open(`/requests/${conversation.requestId}`);
  await page.locator('[data-end=question]').waitFor({ state: 'attached' });
  await box(page).fill('Yes.');
  await button(page, 'Send').click();
  // Longer than a visible page needs.
  await page.clock.fastForward(2_500);
  await page.getByText('Sending in a moment').waitFor();
  await page.evaluate('setVisibility("visible")');
  await page.getByTestId('recovery-code').waitFor();
});

test('what the agent has announced is awaited; then files can be done without, and a confidential question never', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const files = ['a.log', 'b.log'].map((name) => ({ name, bytes: new Uint8Array(9) }));
  const asked = await agent.relay.ask({ question: 'Is this normal?', files });
  const confidential = await agent.relay.ask({ question: 'Which password?', confidential: true });
  // Its program has ended.
  agent.relay.stop();
  await device.page.clock.install();
  const page = await device.open(`/requests/${asked.requestId}`);
  await page.getByText('The agent sends 2 files once you open the request.').waitFor();
  await button(page, 'Open').click();
  await makeExpertKey(page);
  await page.getByText('The agent is sending 2 files.').waitFor();
  expect(await box(page).count()).toBe(0);
  await page.clock.fastForward(30_000);
  await page.getByText('Nothing has come.').waitFor();
  await button(page, 'Answer anyway').click();
  await box(page).fill('Yes.');
  await button(page, 'Send').click();
  await page.getByText('Sent', { exact: true }).waitFor();

  await device.open(`/requests/${confidential.requestId}`);
  await button(page, 'Open').click();
  await page.getByText('The agent is sending its question.').waitFor();
  await page.clock.fastForward(30_000);
  await page.getByText('Nothing has come.').waitFor();
  expect(await button(page, 'Answer anyway').count()).toBe(0);
  expect(await box(page).count()).toBe(0);
});

test('an answer that is written once what the agent has announced has come counts', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const files = [{ name: 'a.log', bytes: new TextEncoder().encode('It hangs.') }];
  const asked = await agent.relay.ask({ question: 'Why does it hang?', confidential: true, files });
  agent.relay.stop();
  const page = await device.open(`/requests/${asked.requestId}`);
  await button(page, 'Open').click();
  await makeExpertKey(page);
  await page.getByText('The agent is sending').waitFor();
  expect(await box(page).count()).toBe(0);

  // The agent's next program.
  const relay = createRelay({ url: product.relay.gatewayUrl, apiKey: agent.apiKey });
  const answer = (await relay.resume(asked.export())).waitForAnswer({ timeoutMs: 120_000 });
  await page.getByText('Why does it hang?').first().waitFor();
  await page.getByText('a.log').first().waitFor();
  await box(page).fill('It waits for a lock.');
  await button(page, 'Send').click();
  expect((await answer).text).toBe('It waits for a lock.');
  relay.stop();
});

/** Opens a conversation in which the expert has answered once. */
async function openAnswered(device: Device, agent: TestAgent) {
  const conversation = await agent.ask('May I remove the lock?');
  await device.page.clock.install();
  const page = await device.open(`/requests/${conversation.requestId}`);
  await box(page).fill('Hello.');
  await button(page, 'Send').click();
  await makeExpertKey(page);
  await conversation.waitForAnswer({ timeoutMs: 120_000 });
  await page.getByText('Sent', { exact: true }).first().waitFor();
  return { conversation, page };
}

const untilWritten = (page: Page, text: string) =>
  eventually('the text in the box', async () => (await box(page).inputValue()) === text);

test('an answer is held when the relay shows the agent’s WAIT only after it was written', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const { conversation, page } = await openAnswered(device, agent);
  for (const way of ['Change it', 'Send anyway']) {
    await sendHeld(page, conversation, way);
    // Also after a reload.
    await page.reload();
    await held(page).waitFor();
    await button(page, way).click();
    if (way === 'Send anyway') break;
    await untilWritten(page, `Yes (${way}).`);
    await button(page, 'Send').click();
    const changed = await conversation.waitForAnswer({ timeoutMs: 120_000 });
    expect(changed).toMatchObject({ text: `Yes (${way}).`, seenYourLast: true });
  }
  const anyway = await conversation.waitForAnswer({ includeEarly: true, timeoutMs: 120_000 });
  expect(anyway).toMatchObject({ text: 'Yes (Send anyway).', seenYourLast: false });
  expect(device.problems).toEqual([]);
});

test('a held answer is held in all tabs, and the decision of one tab counts in the others', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const { conversation, page } = await openAnswered(device, agent);
  const other = await device.newTab();
  await other.goto(`/dashboard/requests/${conversation.requestId}`);
  await box(other).waitFor();

  await sendHeld(page, conversation, 'Change it');
  await held(other).waitFor();
  await pressUnsent(other, 'Change it');
  for (const tab of [other, page]) {
    await untilWritten(tab, 'Yes (Change it).');
    expect(await held(tab).count()).toBe(0);
    expect(await tab.locator('[data-delivery]').count()).toBe(0);
  }
  await button(page, 'Send').click();
  expect(await conversation.waitForAnswer({ timeoutMs: 120_000 })).toMatchObject({
    text: 'Yes (Change it).',
  });

  await sendHeld(page, conversation, 'Send anyway');
  await held(other).waitFor();
  await button(other, 'Send anyway').click();
  const anyway = await conversation.waitForAnswer({ includeEarly: true, timeoutMs: 120_000 });
  expect(anyway).toMatchObject({ text: 'Yes (Send anyway).', seenYourLast: false });
  for (const tab of [page, other]) {
    await box(tab).waitFor();
    await tab.locator('[data-delivery]').waitFor({ state: 'detached' });
    expect(await tab.getByText('Yes (Send anyway).').count()).toBe(1);
  }
  expect(device.problems).toEqual([]);
});
