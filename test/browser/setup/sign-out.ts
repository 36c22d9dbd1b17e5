import type { Page } from 'playwright-core';

/** Signs out with the button of the navigation, and confirms it. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('button', { name: 'Sign out' }).click();
  const question = page.getByRole('region', { name: 'Sign out of this browser?' });
  await question.getByRole('button', { name: 'Sign out' }).click();
}
