import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { checkAccessibility } from './setup/check-accessibility.ts';
import { checkLayout } from './setup/check-layout.ts';
import { openProduct, type Product } from './setup/open-product.ts';
import { walks } from './setup/walk-pages.ts';

/* Every page in every state: for screen readers, in both themes, on phones and at 200 %; and all of it by keyboard. */

let product: Product;

beforeAll(async () => {
  product = await openProduct();
  // Chromium may have to be installed first.
}, 600_000);
afterAll(async () => await product?.[Symbol.asyncDispose]());

describe('each page', () => {
  test.each(Object.entries(walks))(
    '%s: axe finds nothing, nothing scrolls sideways, is cut off, or is too small to touch',
    async (_, walk) => {
      const found: string[] = [];
      await walk(product, async (state, page) => {
        const problems = [
          ...(await checkIn('light', page)),
          ...(await checkIn('dark', page, ['color-contrast'])),
          ...(await checkLayout(page)),
        ];
        found.push(...problems.map((problem) => `${state}: ${problem}`));
      });
      expect(found).toEqual([]);
    },
    240_000,
  );
});

async function checkIn(
  colorScheme: 'light' | 'dark',
  page: Page,
  rules?: readonly string[],
): Promise<string[]> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  const problems = await checkAccessibility(page, rules);
  return problems.map((problem) => `${colorScheme}: ${problem}`);
}

test('the reply box shows its whole text after a phone was turned', async () => {
  await using device = await product.signIn('turned');
  await using agent = await device.newAgent('build agent');
  const { requestId } = await agent.askPlainly({ question: 'Why?', plaintext: 'Why?' });
  const page = await device.open(`/requests/${requestId}`);
  await page.setViewportSize({ width: 844, height: 700 });
  const box = page.getByRole('textbox', { name: 'Answer' });
  await box.fill('Because the lock file is stale. '.repeat(8));
  await page.setViewportSize({ width: 390, height: 844 });
  await page.waitForFunction(`(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight + 1)(
    document.querySelector('textarea'))`);
});

describe('the keyboard', () => {
  const focused = (page: Page) =>
    page.evaluate<string>(`document.activeElement.tagName + ' ' + document.activeElement.textContent`);

  test('moves through the list, answers, closes, searches, shows its keys and changes the page', async () => {
    await using device = await product.signIn('keyboard');
    await using agent = await device.newAgent('build agent');
    const ids: string[] = [];
    for (const question of ['First', 'Second', 'Third']) {
      ids.unshift((await agent.askPlainly({ question, plaintext: question })).requestId);
    }
    const page = await device.open();
    const opens = (id: string | undefined) =>
      page.waitForURL((url) => url.pathname.endsWith(`/requests/${id}`));
    await page.getByRole('link', { name: /Third/ }).waitFor();
    await page.keyboard.press('j');
    await opens(ids[0]);
    await page.keyboard.press('j');
    await opens(ids[1]);
    await page.keyboard.press('k');
    await opens(ids[0]);
    await page.getByRole('link', { name: /First/ }).focus();
    await page.keyboard.press('Enter');
    await opens(ids[2]);
    await page.getByRole('heading', { name: 'build agent' }).waitFor();
    await expectFocus(page, 'H1 build agent');

    const box = page.getByRole('textbox', { name: 'Answer' });
    await box.waitFor();
    await page.keyboard.press('r');
    await page.keyboard.type('jk?e');
    expect(await box.inputValue()).toBe('jk?e');
    await page.keyboard.press('Control+Enter');
    await page.locator('[data-message]', { hasText: 'jk?e' }).waitFor();
    expect(page.url()).toContain(ids[2]);

    await page.getByRole('heading', { name: 'build agent' }).focus();
    await page.keyboard.press('e');
    await page.getByRole('button', { name: 'Keep open' }).waitFor();
    await expectFocus(page, 'BUTTON Keep open');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Keep open' }).waitFor({ state: 'detached' });

    await page.keyboard.press('/');
    await expectFocus(page, 'INPUT ');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');

    for (const [keys, heading] of [
      ['k', 'Keys'],
      ['s', 'Settings'],
      ['i', 'Inbox'],
    ] as const) {
      await page.keyboard.press('g');
      await page.keyboard.press(keys);
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      await expectFocus(page, `H1 ${heading}`);
    }
    // The relay has no expert key of theirs, which is a 404.
    expect(device.problems.filter((problem) => !problem.includes('404'))).toEqual([]);
  });

  test('does nothing by single keys once they are switched off', async () => {
    await using device = await product.signIn('keyboard-off');
    const page = await device.open('/settings');
    await page.getByRole('switch', { name: 'Shortcuts of a single key' }).click();
    await page.getByRole('heading', { name: 'Settings' }).focus();
    for (const key of ['?', 'g', 'k', 'j', 'e']) await page.keyboard.press(key);
    await page.getByRole('switch', { name: 'Shortcuts of a single key' }).click();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Settings');
    expect(await page.locator('dialog[open]').count()).toBe(0);
    // And again something, once they are switched on.
    await page.getByRole('heading', { name: 'Settings' }).focus();
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
  });

  /** The focus moves after the page was drawn. */
  async function expectFocus(page: Page, wanted: string): Promise<void> {
    const isThere = `document.activeElement.tagName + ' ' + document.activeElement.textContent === ${JSON.stringify(wanted)}`;
    await page.waitForFunction(isThere).catch(async () => expect(await focused(page)).toBe(wanted));
  }
});
