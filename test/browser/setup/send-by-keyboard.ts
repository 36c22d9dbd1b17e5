import { eventually } from '@expert-relay/testkit';
import type { Page } from 'playwright-core';

/** A second for each of many texts. */
const timeoutMs = 300_000;

/** Presses until the answer is taken. A press that waits is not made again; one that led to the end of a text is. */
export async function sendByKeyboard(page: Page, keys = 'Control+Enter'): Promise<void> {
  const box = page.getByRole('textbox', { name: 'Answer' });
  const before = page.url();
  // An answer that is not sent at once stands in place of the box.
  const written = () => box.inputValue({ timeout: 1_000 }).catch(() => '');
  const isTaken = async () => page.url() !== before || (await written()) === '';
  const press = async () => {
    if (await isTaken()) return true;
    if (!(await page.getByText('Sending in a moment').isVisible()))
      await box.press(keys, { timeout: 1_000 }).catch(() => {});
    return isTaken();
  };
  await eventually('the answer is taken', press, { timeoutMs });
}
