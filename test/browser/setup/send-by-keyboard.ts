import { eventually } from '@expert-relay/testkit';
import type { Page } from 'playwright-core';

/** A second for each of many texts. */
const timeoutMs = 300_000;

/** Presses until the answer is taken: while the end of a text was not in view for a second, a press brings it there. */
export async function sendByKeyboard(page: Page, keys = 'Control+Enter'): Promise<void> {
  const box = page.getByRole('textbox', { name: 'Answer' });
  const press = async () => {
    const before = page.url();
    await box.press(keys);
    return page.url() !== before || (await box.inputValue()) === '';
  };
  await eventually('the answer is taken', press, { timeoutMs });
}
