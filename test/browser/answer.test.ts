import { eventually } from '@expert-relay/testkit';
import { describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { withExpertKey } from './setup/make-expert-key.ts';
import { button, type Device, newUser, type TestAgent } from './setup/open-product.ts';
import { untilStored } from './setup/read-stored-keys.ts';
import { sendByKeyboard } from './setup/send-by-keyboard.ts';
import { setAge } from './setup/set-age.ts';
import { useProduct } from './setup/use-product.ts';

/* A conversation of an expert and an agent, from the question to its end. */

const product = useProduct();

test('from "Sign in" to a sent encrypted answer it takes four clicks', async () => {
  await using device = await product.signIn('dev');
  await using agent = await device.newAgent('build agent');
  const { page } = device;
  // The expert key was made before.
  await withExpertKey(device);
  // A page that is loading would set the cookie again.
  await page.goto('about:blank');
  await device.context.clearCookies();
  const conversation = await agent.ask('May I remove the lock file?');

  await page.goto('/dashboard');
  let clicks = 0;
  const click = async (name: RegExp | string) => {
    clicks += 1;
    const target = button(page, name)
      .or(page.getByRole('link', { name, exact: true }))
      .or(page.getByRole('textbox', { name, exact: true }));
    await target.first().click();
  };
  await click('Sign in as dev');
  await click(/May I remove the lock file/);
  await click('Answer');
  await page.keyboard.type('Yes.');
  await click('Send');
  expect((await conversation.waitForAnswer({ timeoutMs: 120_000 })).text).toBe('Yes.');
  expect(clicks).toBe(4);
  expect(device.problems).toEqual([]);
});

const box = (page: Page) => page.getByRole('textbox', { name: 'Answer' });
const keptText = (page: Page) => page.getByRole('textbox', { name: 'What you wrote was not sent' });

interface Written {
  readonly device: Device;
  readonly agent: TestAgent;
  readonly requestId: string;
}

/** Changes the request as the relay returns it, and makes the page read it. */
async function answerWith({ device, agent, requestId }: Written, change: object): Promise<void> {
  await device.page.route(new RegExp(`/api/requests/${requestId}\\?`), async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), ...change } });
  });
  await agent.sendPlainly(requestId, 'Are you there?');
}

test('a long text keeps the direction in which it begins', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const { requestId } = await agent.askPlainly({ question: 'Which?', plaintext: 'Which?' });
  const page = await device.open(`/requests/${requestId}`);
  const isRightToLeft = () => box(page).and(page.locator(':dir(rtl)')).count();
  for (const [text, dir, count] of [
    ['כן. '.repeat(6_000), 'rtl', 1],
    ['Yes.', 'auto', 0],
    ['Yes. '.repeat(6_000), 'ltr', 0],
    ['כן.', 'auto', 1],
  ] as const) {
    await box(page).fill(text);
    await eventually(dir, async () => (await box(page).getAttribute('dir')) === dir);
    expect(await isRightToLeft()).toBe(count);
  }
});

describe('a text that is being written is still there, and keys are no shortcuts, when', () => {
  test.each<[string, (written: Written) => Promise<unknown>]>([
    [
      'the agent closes the request',
      ({ agent, requestId }) =>
        fetch(`${product.relay.gatewayUrl}/api/v1/close/${requestId}`, {
          method: 'POST',
          headers: { 'x-api-key': agent.apiKey },
        }),
    ],
    ['the request expires', (written) => answerWith(written, { status: 'expired' })],
    ['the request is refused', (written) => answerWith(written, { refCode: 'HS-00000000' })],
    [
      'it was erased',
      (written) => answerWith(written, { status: 'closed', erasedAt: new Date().toISOString() }),
    ],
  ])('%s', async (_, end) => {
    await using device = await product.signIn(newUser());
    await using agent = await device.newAgent();
    const { requestId } = await agent.askPlainly({ question: 'May I?', plaintext: 'May I?' });
    await agent.askPlainly({ question: 'Another one?', plaintext: 'Another one?' });
    const page = await device.open(`/requests/${requestId}`);
    await box(page).pressSequentially('Half a sent');
    await end({ device, agent, requestId });
    await keptText(page).and(page.locator(':focus')).waitFor();
    for (const key of ['j', 'e', 'n', '?']) await page.keyboard.press(key);
    expect(page.url()).toContain(requestId);
    await untilStored(page, 'Half a sent');
    await page.reload();
    await keptText(page).waitFor();
    expect(await keptText(page).inputValue()).toBe('Half a sent');
    await button(page, 'Copy text').waitFor();
    await button(page, 'Remove').click();
    await keptText(page).waitFor({ state: 'detached' });
  });
});

test('a text that waits longer than its request is shown as not sent', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const { requestId } = await agent.askPlainly({ question: 'May I?', plaintext: 'May I?' });
  const page = await device.open(`/requests/${requestId}`);
  await box(page).fill('Tomorrow');
  await untilStored(page, 'Tomorrow');
  await setAge(product.relay.databaseUrl, requestId, 73);
  await page.reload();
  await keptText(page).waitFor();
  expect(await keptText(page).inputValue()).toBe('Tomorrow');
});

test('a text that is still being stored is there when its request is opened again', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const ids: string[] = [];
  for (const question of ['First?', 'Second?'])
    ids.push((await agent.askPlainly({ question, plaintext: question })).requestId);
  await device.context.addInitScript(`
    const { encrypt } = SubtleCrypto.prototype;
    SubtleCrypto.prototype.encrypt = async function (...args) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return await encrypt.apply(this, args);
    };`);
  const page = await device.open(`/requests/${ids[1]}`);
  await box(page).pressSequentially('To the second.');
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await page.waitForURL(`**/requests/${ids[0]}`);
  await page.keyboard.press('k');
  await page.waitForURL(`**/requests/${ids[1]}`);
  await eventually('the text', async () => (await box(page).inputValue()) === 'To the second.');
});

test('with the keyboard alone, an expert sends an answer, goes on to the next request, and moves in the list', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const ids: string[] = [];
  for (const question of ['First?', 'Second?', 'Third?'])
    ids.push((await agent.askPlainly({ question, plaintext: question })).requestId);
  const page = await device.open(`/requests/${ids[2]}`);
  const opened = (index: number) => page.waitForURL(`**/requests/${ids[index]}`);
  const row = (question: string) => page.locator('[data-request]', { hasText: question });
  await box(page).pressSequentially('To the third.');
  // Escape leaves the box, and keeps the text.
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await opened(1);
  await page.keyboard.press('k');
  await opened(2);
  await eventually('the text', async () => (await box(page).inputValue()) === 'To the third.');
  await sendByKeyboard(page, 'Control+Shift+Enter');
  await opened(1);

  // A sent answer leaves the focus in the box. The list goes on where the request was.
  await row('Third?').waitFor({ state: 'detached' });
  await box(page).fill('To the second.');
  await sendByKeyboard(page);
  await row('Second?').waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await opened(0);
  await button(page, 'Next request').waitFor({ state: 'detached' });

  for (const question of ['Fourth?', 'Fifth?']) await agent.askPlainly({ question, plaintext: question });
  await row('Fifth?').waitFor();
  await page.keyboard.press('n');
  await page.waitForURL((url) => !url.href.includes(ids[0] ?? ''));
  await page.locator('h1:focus').waitFor();
  // The list is one stop of the Tab key, and the arrows move in it.
  const tabStop = page.locator('[data-request][tabindex="0"]');
  expect(await tabStop.count()).toBe(1);
  await tabStop.focus();
  await page.keyboard.press('Home');
  await row('Fifth?').and(page.locator(':focus')).waitFor();
  await page.keyboard.press('ArrowDown');
  await row('Fourth?').and(page.locator(':focus')).waitFor();
  await page.keyboard.press('End');
  await row('First?').and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  await row('First?').and(page.locator(':focus')).waitFor();
  expect(device.problems).toEqual([]);
});
