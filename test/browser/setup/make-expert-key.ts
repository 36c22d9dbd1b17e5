import type { Page } from 'playwright-core';

/** Goes through the first-time flow, which is open; gives the recovery code. */
export async function makeExpertKey(page: Page): Promise<string> {
  const code = (await page.getByTestId('recovery-code').innerText()).replaceAll(/\s/g, '');
  await page.getByRole('button', { name: 'I have kept it' }).click();
  await page.getByRole('textbox', { name: 'Last group' }).fill(code.slice(-4));
  await page.getByRole('button', { name: 'Use this key' }).click();
  return code;
}
