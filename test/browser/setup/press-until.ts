import { eventually } from '@expert-relay/testkit';
import type { Locator, Page } from 'playwright-core';

/**
 * Presses a sequence of keys until an element is visible. The page forgets the first key after a second, and a busy
 * machine may need longer between two keys.
 */
export async function pressUntil(page: Page, keys: readonly string[], element: Locator): Promise<void> {
  await eventually(`${keys.join(' ')} has worked`, async () => {
    for (const key of keys) await page.keyboard.press(key);
    return element.waitFor({ timeout: 5_000 }).then(
      () => true,
      () => false,
    );
  });
}
