import { eventually } from '@expert-relay/testkit';
import type { Page } from 'playwright-core';
import { button } from './open-product.ts';

/** Presses a button of the answer that was not sent, until that is gone: a press on a button that has just appeared is dropped. */
export async function pressUnsent(page: Page, name: 'Remove' | 'Change it'): Promise<void> {
  await button(page, name).waitFor();
  // Also as a message that is being sent: only that one of the calls fails brings the panel back.
  const panel = page.locator('[data-delivery]');
  await eventually(`"${name}" to be taken`, async () => {
    if ((await panel.count()) === 0) return true;
    await button(page, name)
      .click({ timeout: 2_000 })
      .catch(() => {});
    return panel.waitFor({ state: 'detached', timeout: 2_000 }).then(
      () => true,
      () => false,
    );
  });
}
