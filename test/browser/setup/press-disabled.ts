import type { Locator, Page } from 'playwright-core';
import { button } from './open-product.ts';

/** A button, once it takes presses: one that has just appeared does not. */
export const settled = (page: Page, name: string): Locator =>
  button(page, name).and(page.locator(':not([data-guarded])'));

/** Presses a button that looks disabled: it says what is needed first. */
export const pressDisabled = (page: Page, name: string): Promise<void> =>
  settled(page, name).click({ force: true });
