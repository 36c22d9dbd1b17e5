import { eventually } from '@expert-relay/testkit';
import type { Page } from 'playwright-core';
import { button } from './open-product.ts';

/** Presses a button until that is taken: not before what a press has led to was in view for a second. */
export async function pressOnceRead(page: Page, name: string): Promise<void> {
  await eventually(`"${name}" is taken`, async () => {
    await button(page, name).click();
    return (await page.getByText('Read this first, then press again.').count()) === 0;
  });
}
