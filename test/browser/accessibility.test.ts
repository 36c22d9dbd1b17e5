import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@expert-relay/testkit';
import { describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { checkAccessibility } from './setup/check-accessibility.ts';
import { checkLayout } from './setup/check-layout.ts';
import { pressUntil } from './setup/press-until.ts';
import { sendByKeyboard } from './setup/send-by-keyboard.ts';
import { useProduct } from './setup/use-product.ts';
import { walks } from './setup/walk-pages.ts';

/* Every page in its main states: accessible in both themes, usable on phones and at 200 %, and with the keyboard. */

const product = useProduct();

describe('the pages of', () => {
  test.each(Object.entries(walks))(
    '%s: no violations of axe, no horizontal scrolling, no cut off text, and no touch target that is too small',
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

test('the reply box shows its whole text after the screen was rotated', async () => {
  await using device = await product.signIn('turned');
  await using agent = await device.newAgent('build agent');
  const { requestId } = await agent.askPlainly({ question: 'Why?', plaintext: 'Why?' });
  const page = await device.open(`/requests/${requestId}`);
  await page.setViewportSize({ width: 844, height: 700 });
  const box = page.getByRole('textbox', { name: 'Answer' });
  await box.fill('Because the lock file is stale. '.repeat(8));
  await page.setViewportSize({ width: 390, height: 844 });
  // Not with `waitForFunction`: it evaluates a text in the page, which the content security policy forbids.
  await eventually('the box shows its text', () =>
    page.evaluate<boolean>(`(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight + 1)(
      document.querySelector('textarea'))`),
  );
});

describe('the keyboard', () => {
  const focused = (page: Page) =>
    page.evaluate<string>(`document.activeElement.tagName + ' ' + document.activeElement.textContent`);

  test('moves through the list, answers, closes, searches, shows the shortcuts and changes the page', async () => {
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
    await sendByKeyboard(page);
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
      ['k', 'Agent keys'],
      ['s', 'Settings'],
      ['i', 'Inbox'],
    ] as const) {
      await pressUntil(page, ['g', keys], page.getByRole('heading', { name: heading, level: 1 }));
      await expectFocus(page, `H1 ${heading}`);
    }
    expect(device.problems).toEqual([]);
  });

  test('j leaves the focus where it is, also when the conversation is shown late', async () => {
    await using device = await product.signIn('late');
    await using agent = await device.newAgent('build agent');
    const { requestId } = await agent.askPlainly({ question: 'Which?', plaintext: 'Which?' });
    const page = await device.open();
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(
      ({ pathname }) => pathname.endsWith(`/api/requests/${requestId}`),
      async (route) => {
        await answered;
        await route.continue();
      },
    );
    const row = page.getByRole('link', { name: /Which/ });
    await row.focus();
    await page.keyboard.press('j');
    await page.waitForURL((url) => url.pathname.endsWith(`/requests/${requestId}`));
    await pause(700);
    answer();
    await page.getByRole('heading', { name: 'build agent' }).waitFor();
    await page.getByRole('textbox', { name: 'Answer' }).waitFor();
    expect(await focused(page)).toMatch(/^A .*Which/);
  });

  test('single-key shortcuts do nothing when they are switched off, and work when they are on again', async () => {
    await using device = await product.signIn('keyboard-off');
    const page = await device.open('/settings');
    await page.getByRole('switch', { name: 'Single-key shortcuts' }).click();
    await page.getByRole('heading', { name: 'Settings' }).focus();
    for (const key of ['?', 'g', 'k', 'j', 'e']) await page.keyboard.press(key);
    await page.getByRole('switch', { name: 'Single-key shortcuts' }).click();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Settings');
    expect(await page.locator('dialog[open]').count()).toBe(0);
    // Switched on again.
    await page.getByRole('heading', { name: 'Settings' }).focus();
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
  });

  test('the list of shortcuts names the keys of an Apple keyboard', async () => {
    await using device = await product.signIn('keyboard-apple');
    await device.context.addInitScript(
      `Object.defineProperty(Navigator.prototype, 'platform', { get: () => 'MacIntel' })`,
    );
    const page = await device.open('/settings');
    await pressUntil(page, ['?'], page.getByRole('heading', { name: 'Keyboard shortcuts' }));
    expect(await page.getByText('⌘', { exact: true }).count()).toBe(2);
    expect(await page.getByText('Ctrl', { exact: true }).count()).toBe(0);
  });

  /** Waits, because the focus moves only after the page was rendered. */
  async function expectFocus(page: Page, wanted: string): Promise<void> {
    let found = '';
    await eventually('the focus has moved', async () => {
      found = await focused(page);
      return found === wanted;
    }).catch(() => expect(found).toBe(wanted));
  }
});
