import type { Page } from 'playwright-core';
import { button } from './open-product.ts';

/** Presses a button that looks disabled: it says what is needed first. */
export const pressDisabled = (page: Page, name: string): Promise<void> =>
  button(page, name).click({ force: true });
