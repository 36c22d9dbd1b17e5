import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { chooseAction } from './setup/choose-action.ts';
import { button, newUser } from './setup/open-product.ts';
import { pressUntil } from './setup/press-until.ts';
import { useProduct } from './setup/use-product.ts';

/* Where the focus is after what had it is gone, and what was typed there. */

const product = useProduct();

async function openPlain(
  page: Page,
  ask: (body: Record<string, string>) => Promise<{ requestId: string }>,
): Promise<void> {
  const { requestId } = await ask({ question: 'Which region?', plaintext: 'Which region?' });
  await page.goto(`/dashboard/requests/${requestId}`);
  await page.getByRole('textbox', { name: 'Answer' }).waitFor();
}

test('Escape in a panel of the header returns to its button, and keeps the reason that was typed', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const { page } = device;
  await openPlain(page, agent.askPlainly);
  for (const name of ['Snooze', 'End request'] as const) {
    await chooseAction(page, name);
    await button(page, name === 'Snooze' ? 'For 1 hour' : 'Keep open').waitFor();
    if (name === 'End request') await page.getByLabel('Reason').fill('It was answered by email.');
    await page.keyboard.press('Escape');
    await button(page, 'More actions').and(page.locator(':focus')).waitFor();
  }
  await chooseAction(page, 'End request');
  expect(await page.getByLabel('Reason').inputValue()).toBe('It was answered by email.');
  expect(device.problems).toEqual([]);
});

test('the focus stays in the conversation when a refused answer is removed', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const { page } = device;
  await openPlain(page, agent.askPlainly);
  await page.route('**/messages', (route) =>
    route.fulfill({ status: 413, json: { error: 'message_too_large' } }),
  );
  await page.getByRole('textbox', { name: 'Answer' }).fill('Too long.');
  await button(page, 'Send').click();
  await button(page, 'Remove').focus();
  await pressUntil(page, ['Enter'], page.locator('[data-pane] h1:focus'));
});

test('without the clipboard, a press on the code selects it and says so', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const { page } = device;
  await page.addInitScript('Object.defineProperty(navigator, "clipboard", { value: undefined })');
  await openPlain(page, agent.askPlainly);
  await page.getByTitle('Copy this code').click();
  await page.getByText('Selected: copy it').waitFor();
  expect(await page.evaluate('getSelection().toString()')).toMatch(/^HS-/);
});
