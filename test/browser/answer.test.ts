import { expect } from '@jest/globals';
import { browserTest as test } from './setup/browser-test.ts';
import { makeExpertKey } from './setup/make-expert-key.ts';
import { useProduct } from './setup/use-product.ts';

/* A conversation of an expert and an agent, from the question to its end. */

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
  await page.getByRole('button', { name: 'Answer' }).click();
  await makeExpertKey(page);
  const box = page.getByRole('textbox', { name: 'Answer' });
  await box.fill('Yes. It is **stale**.');
  await box.press('Control+Enter');
  const answer = await conversation.waitForAnswer({ timeout: 120_000 });
  expect(answer.text).toBe('Yes. It is **stale**.');
  await page
    .getByText('Sent', { exact: true })
    .or(page.locator('strong', { hasText: 'stale' }))
    .first()
    .waitFor();

  await conversation.send('And the cache?');
  await page.getByText('And the cache?').waitFor();
  await box.fill('Leave it.');
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  expect(await box.evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
  expect((await conversation.waitForAnswer({ timeout: 120_000 })).text).toBe('Leave it.');

  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByRole('button', { name: 'Close request' }).click();
  await page.getByText('This request has ended. Nothing more can be sent.').waitFor();
  await conversation.refresh();
  expect(conversation.status).toBe('closed');
  expect(device.problems).toEqual([]);
});

test('from "Sign in" to a sent encrypted answer it takes five clicks or fewer', async () => {
  await using device = await product.signIn('dev');
  await using agent = await device.newAgent('build agent');
  const page = await device.open();
  // The expert key was made at an earlier answer.
  await agent.ask('An earlier question');
  await page.getByRole('link', { name: /An earlier question/ }).click();
  await page.getByRole('button', { name: 'Answer' }).click();
  await makeExpertKey(page);
  await page.getByRole('textbox', { name: 'Answer' }).waitFor();
  // A page that is loading would set the cookie again.
  await page.goto('about:blank');
  await device.context.clearCookies();
  const conversation = await agent.ask('May I remove the lock file?');

  await page.goto('/dashboard');
  let clicks = 0;
  const click = async (name: RegExp | string) => {
    clicks += 1;
    const target = page
      .getByRole('button', { name, exact: true })
      .or(page.getByRole('link', { name, exact: true }));
    await target.first().click();
  };
  await click('Sign in as dev');
  await click(/May I remove the lock file/);
  await click('Answer');
  // The box has the focus: the expert types at once.
  await page.getByRole('textbox', { name: 'Answer' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.type('Yes.');
  await click('Send');
  expect((await conversation.waitForAnswer({ timeout: 120_000 })).text).toBe('Yes.');
  expect(clicks).toBeLessThanOrEqual(5);
  expect(device.problems).toEqual([]);
});
