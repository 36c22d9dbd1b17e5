import type { Page } from 'playwright-core';
import { button } from './open-product.ts';

/** Chooses one of the actions behind the button of the header. */
export async function chooseAction(page: Page, name: 'End request' | 'Snooze'): Promise<void> {
  await button(page, 'More actions').click();
  await button(page, name).click();
}
