import { eventually } from '@expert-relay/testkit';
import type { BrowserContext, Page } from 'playwright-core';

/** Records the texts of all status elements: some are shown for a few seconds only, and a busy test may look too late. */
export async function recordStatuses(context: BrowserContext): Promise<void> {
  await context.addInitScript(`{
    globalThis.statuses = new Set();
    const record = () => {
      for (const { textContent } of document.querySelectorAll('[role=status]')) statuses.add(textContent);
    };
    new MutationObserver(record).observe(document, { childList: true, characterData: true, subtree: true });
  }`);
}

/** Waits until a status element contains this text, or has contained it since the page was loaded. */
export async function untilAnnounced(page: Page, text: string): Promise<void> {
  const hasText = `[...statuses].some((status) => status.includes(${JSON.stringify(text)}))`;
  await eventually(`the status "${text}"`, () => page.evaluate<boolean>(hasText));
}
