import type { Conversation } from '@expert-relay/sdk';
import { eventually } from '@expert-relay/testkit';
import type { Page } from 'playwright-core';
import { button } from './open-product.ts';

/** Sends an answer that is held: the page reads the agent's WAIT only after it was written. The page has a clock. */
export async function sendHeld(page: Page, conversation: Conversation, way: string): Promise<void> {
  const pending = page.locator('[data-delivery]');
  await eventually('the answer before is in the list', async () => (await pending.count()) === 0);
  // The relay answers no read until the answer is written. The SDK takes reads of the last second for new.
  const path = `**/requests/${conversation.requestId}?*`;
  await page.route(path, async (route) => {
    const isWritten = (await pending.count()) > 0;
    // The page may have ended the call meanwhile.
    await (isWritten ? route.continue() : route.fulfill({ status: 503, json: {} })).catch(() => {});
  });
  await page.clock.fastForward(1_500);
  await conversation.send(`WAIT (${way})`);
  await page.getByRole('textbox', { name: 'Answer' }).fill(`Yes (${way}).`);
  // A press is dropped while the button has just appeared. Once it is taken, the box is empty.
  await eventually('it is held', async () => {
    await button(page, 'Send')
      .click({ timeout: 2_000 })
      .catch(() => {});
    return held(page)
      .waitFor({ timeout: 2_000 })
      .then(
        () => true,
        () => false,
      );
  });
  await page.locator('[data-message]', { hasText: `WAIT (${way})` }).waitFor();
  await page.unroute(path);
}

export const held = (page: Page) => page.getByRole('region', { name: 'The agent wrote meanwhile' });
