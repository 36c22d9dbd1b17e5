import type { Page } from 'playwright-core';
import { button, type Device } from './open-product.ts';

/** Creates an expert key with the open dialog, and returns its recovery code. */
export async function makeExpertKey(page: Page): Promise<string> {
  const code = (await page.getByTestId('recovery-code').innerText()).replaceAll(/\s/g, '');
  await button(page, 'I have kept it').click();
  await page.getByRole('textbox', { name: 'Last group' }).fill(code.slice(-4));
  await button(page, 'Use this key').click();
  return code;
}

/** Creates one before the first encrypted answer, and returns its recovery code. */
export async function withExpertKey(device: Device): Promise<string> {
  const page = await device.open('/settings');
  await button(page, 'Make my key').click();
  const code = await makeExpertKey(page);
  await button(page, 'New recovery code').waitFor();
  return code;
}
