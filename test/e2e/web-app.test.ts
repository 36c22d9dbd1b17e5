import { expect } from '@jest/globals';
import { browserTest as test } from '../browser/setup/browser-test.ts';
import { chooseAction } from '../browser/setup/choose-action.ts';
import { makeExpertKey } from '../browser/setup/make-expert-key.ts';
import { button } from '../browser/setup/open-product.ts';
import { useProduct } from '../browser/setup/use-product.ts';

/* One walk through the web app, where a Chromium is on the machine. All others are in test/browser. */

const product = useProduct();

test('an expert signs in, sees a request arrive, answers it encrypted, answers again, and closes it', async () => {
  await using device = await product.signIn('ada');
  await using agent = await device.newAgent('build agent');
  const page = await device.open();
  await page.getByRole('heading', { name: 'No requests yet' }).waitFor();

  const conversation = await agent.ask('May I remove the lock file?', [
    { role: 'user', content: 'The build hangs at `npm ci`.' },
  ]);
  await page.getByRole('link', { name: /May I remove the lock file/ }).click();
  const box = page.getByRole('textbox', { name: 'Answer' });
  await box.fill('Yes. It is **stale**.');
  await box.press('Control+Enter');
  // The first encrypted answer makes the expert's key, and is sent then.
  await makeExpertKey(page);
  const answer = await conversation.waitForAnswer({ timeoutMs: 120_000 });
  expect(answer.text).toBe('Yes. It is **stale**.');
  await page
    .getByText('Sent', { exact: true })
    .or(page.locator('strong', { hasText: 'stale' }))
    .first()
    .waitFor();

  await conversation.send('And the cache?');
  await page.getByRole('article').getByText('And the cache?').waitFor();
  await box.fill('Leave it.');
  await button(page, 'Preview').click();
  await button(page, 'Send').click();
  await box.and(page.locator(':focus')).waitFor();
  expect((await conversation.waitForAnswer({ timeoutMs: 120_000 })).text).toBe('Leave it.');

  await chooseAction(page, 'End request');
  await page.getByRole('button', { name: 'End it now' }).click();
  await page.getByText('This request has ended. Nothing more can be sent.').waitFor();
  await conversation.refresh();
  expect(conversation.status).toBe('closed');
  expect(device.problems).toEqual([]);
});
