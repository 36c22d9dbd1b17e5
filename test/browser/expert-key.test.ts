import { readFileSync } from 'node:fs';
import { eventually } from '@expert-relay/testkit';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { checkAccessibility } from './setup/check-accessibility.ts';
import { button, type Device, newUser } from './setup/open-product.ts';
import { readStoredKeys } from './setup/read-stored-keys.ts';
import { sendByKeyboard } from './setup/send-by-keyboard.ts';
import { signOut } from './setup/sign-out.ts';
import { untilAnnounced } from './setup/until-announced.ts';
import { useProduct } from './setup/use-product.ts';

const product = useProduct();

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
/** A button that exists only while the key is open. */
const newCode = 'New recovery code';

async function readCode(page: Page): Promise<string> {
  await heading(page, 'Keep your recovery code').waitFor();
  return (await page.getByTestId('recovery-code').textContent()) ?? '';
}

async function confirmCode(page: Page, code: string): Promise<void> {
  await button(page, 'I have kept it').click();
  await page.getByRole('textbox', { name: 'Last group' }).fill(code.slice(-4).toLowerCase());
  await page.keyboard.press('Enter');
}

async function makeKey(device: Device): Promise<string> {
  const page = await device.open('/settings');
  await button(page, 'Make my key').click();
  const code = await readCode(page);
  await confirmCode(page, code);
  await button(page, newCode).waitFor();
  return code;
}

const stopClock = async (page: Page) =>
  page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 10_000);

const fingerprintOf = (page: Page) => page.locator('code', { hasText: /^(\d{5} ){7}\d{5}$/ }).textContent();

test('the recovery code of a new key can be stored, is checked, and opens the key on a second device', async () => {
  const user = newUser();
  await using first = await product.signIn(user);
  const page = await first.open('/settings');
  await button(page, 'Make my key').click();
  const code = await readCode(page);
  expect(code).toMatch(/^([0-9A-Z]{4}-){6}[0-9A-Z]{4}$/);

  const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Download').click()]);
  const file = readFileSync(await download.path(), 'utf8');
  expect(file).toContain(code);
  expect(file).toContain(user);

  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('#root').isVisible()).toBe(false);
  expect(await page.getByText(code, { exact: true }).last().isVisible()).toBe(true);
  await page.emulateMedia({ media: 'screen' });

  await button(page, 'I have kept it').click();
  const lastGroup = page.getByRole('textbox', { name: 'Last group' });
  await lastGroup.and(page.locator(':focus')).waitFor();
  expect(await page.getByTestId('recovery-code').textContent()).toBe(`${code.slice(0, -4)}••••`);
  await lastGroup.fill('0000');
  await page.keyboard.press('Enter');
  await page.getByText('That is not the last group.').waitFor();
  expect(await checkAccessibility(page)).toEqual([]);
  await lastGroup.fill(code.slice(-4));
  await page.keyboard.press('Enter');
  await button(page, newCode).waitFor();

  await using second = await product.signIn(user, { viewport: { width: 360, height: 740 } });
  const other = await second.open('/settings');
  await button(other, 'Enter the recovery code').click();
  const field = other.getByRole('textbox', { name: 'Recovery code' });
  for (const [typed, sentence] of [
    ['', 'Enter the code that you kept'],
    [code.slice(0, 29), 'this one has 24'],
    [`${code.slice(0, -1)}${code.endsWith('7') ? '8' : '7'}`, 'There is a typing mistake'],
  ] as const) {
    await field.fill(typed);
    await button(other, 'Open my key').click();
    await other.getByText(sentence).waitFor();
  }
  // All of it is in sight.
  await field.fill(code);
  const hidden = await field.evaluate(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
    Math.max(scrollWidth - clientWidth, scrollHeight - clientHeight),
  );
  expect(hidden).toBe(0);
  await field.fill(` ${code.toLowerCase().replaceAll('-', ' ')} `);
  await field.press('Enter');
  await button(other, newCode).waitFor();
  expect(await fingerprintOf(other)).toBe(await fingerprintOf(page));
  // The browser keeps the key.
  await other.reload();
  await button(other, newCode).waitFor();
  expect([...first.problems, ...second.problems]).toEqual([]);
});

test('a lost recovery code: a warning about what is lost, and a new key that replaces the old one', async () => {
  const user = newUser();
  await using first = await product.signIn(user);
  await makeKey(first);
  await using second = await product.signIn(user);
  const page = await second.open('/settings');
  await button(page, 'Enter the recovery code').click();
  await button(page, 'I lost my code').click();
  await page.getByText('Your encrypted conversations so far').waitFor();
  await button(page, 'Make a new key').click();
  await page.getByText('Confirm this first.').waitFor();
  await page.getByRole('checkbox').check();
  await button(page, 'Make a new key').click();
  const code = await readCode(page);
  await confirmCode(page, code);
  await button(page, newCode).waitFor();

  const old = await first.open('/settings');
  await old.getByText('You have made a new key on another device.').waitFor();
  await button(old, 'Enter the recovery code').click();
  await heading(old, 'Your key was replaced').waitFor();
  await old.getByRole('textbox', { name: 'Recovery code' }).fill(code);
  await old.keyboard.press('Enter');
  await button(old, newCode).waitFor();
  expect(await fingerprintOf(old)).toBe(await fingerprintOf(page));
});

test('the recovery code can be kept later: the answer goes first, then a line and the sign-out ask for it', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent('deploy agent');
  const asked = await agent.ask('May I?');
  const page = await device.open(`/requests/${asked.requestId}`);
  await page.getByRole('textbox', { name: 'Answer' }).fill('Yes.');
  await button(page, 'Send').click();
  await page.getByText('Send waits for this step').waitFor();
  await button(page, 'Later').click();
  expect((await asked.waitForAnswer({ timeoutMs: 120_000 })).text).toBe('Yes.');
  const line = page.getByText('Your recovery code is not kept yet.');
  await line.waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You have not kept a code yet.').waitFor();
  await button(page, 'Stay signed in').click();
  await button(page, 'Show it').click();
  await confirmCode(page, await readCode(page));
  await line.waitFor({ state: 'detached' });
});

test.each(['made', 'opened'])(
  'a key is %s by a code that is entered as soon as its field is there, when a button would not take a press',
  async (way) => {
    const user = newUser();
    await using first = await product.signIn(user);
    const kept = way === 'opened' ? await makeKey(first) : undefined;
    await using device = await product.signIn(user);
    await using agent = await device.newAgent('deploy agent');
    const asked = await agent.ask('May I?');
    await device.page.clock.install();
    const page = await device.open(`/requests/${asked.requestId}`);
    await page.getByRole('textbox', { name: 'Answer' }).fill('Yes.');
    if (kept === undefined) {
      await button(page, 'Send').click();
      const code = await readCode(page);
      await stopClock(page);
      await confirmCode(page, code);
    } else {
      await button(page, 'Send').and(page.locator(':not([aria-disabled])')).waitFor();
      await stopClock(page);
      await button(page, 'Send').click();
      await page.clock.runFor(1_000);
      await page.getByRole('textbox', { name: 'Recovery code' }).fill(kept);
      await page.keyboard.press('Enter');
    }
    await page.clock.resume();
    expect((await asked.waitForAnswer({ timeoutMs: 60_000 })).text).toBe('Yes.');
  },
);

test('after a new key, old conversations cannot be read, and another browser does not use the old key', async () => {
  const user = newUser();
  await using device = await product.signIn(user);
  await using laptop = await product.signIn(user);
  const code = await makeKey(device);
  const other = await laptop.open('/settings');
  await button(other, 'Enter the recovery code').click();
  await other.getByRole('textbox', { name: 'Recovery code' }).fill(code);
  await other.keyboard.press('Enter');
  await button(other, newCode).waitFor();

  await using agent = await device.newAgent('deploy agent');
  const first = await agent.ask('The first question?');
  const page = await device.open(`/requests/${first.requestId}`);
  await page.getByRole('textbox', { name: 'Answer' }).fill('Yes.');
  await sendByKeyboard(page);
  await first.waitForAnswer({ timeoutMs: 120_000 });
  const second = await agent.ask('The second question?');
  // The other browser has read the key before it is replaced.
  await other.goto(`/dashboard/requests/${second.requestId}`);
  await other.getByRole('textbox', { name: 'Answer' }).fill('Yes.');

  await device.open('/settings');
  await button(page, /^Make a new key/).click();
  await page.getByRole('checkbox').check();
  await button(page, 'Make a new key').click();
  await confirmCode(page, await readCode(page));
  await untilAnnounced(page, 'You have a new fingerprint');

  await page.goto(`/dashboard/requests/${first.requestId}`);
  await page.getByText('If you have replaced your key since you answered').waitFor();

  await sendByKeyboard(other);
  // The page learns it with this press, or has learned it and asks for the key in place of the box.
  await eventually('the page says that the key was replaced', async () => {
    const replaced = heading(other, 'Your key was replaced');
    if (await replaced.isVisible()) return true;
    await button(other, 'Send')
      .click({ timeout: 1_000 })
      .catch(() => {});
    return replaced.isVisible();
  });
  await second.refresh();
  expect(second.status).toBe('pending');
  await other.goto(`/dashboard/requests/${first.requestId}`);
  await other.getByRole('textbox', { name: 'Recovery code' }).waitFor();
});

test('when two devices create a key at once, the second one asks for the recovery code of the first', async () => {
  const user = newUser();
  await using first = await product.signIn(user);
  await using second = await product.signIn(user);
  const slow = await second.open('/settings');
  await button(slow, 'Make my key').click();
  const unused = await readCode(slow);
  const code = await makeKey(first);
  await confirmCode(slow, unused);
  await slow.getByText('Another device has just made your key.').waitFor();
  await slow.getByRole('textbox', { name: 'Recovery code' }).fill(code);
  await slow.keyboard.press('Enter');
  await button(slow, newCode).waitFor();
});

test('a sign-out deletes the data in the browser and signs out all tabs', async () => {
  await using device = await product.signIn(newUser());
  await makeKey(device);
  const other = await device.newTab();
  await other.goto('/dashboard/settings');
  await button(other, newCode).waitFor();
  await signOut(device.page);
  await device.page.waitForURL('**/auth/login');
  await other.waitForURL('**/auth/login');
  expect(await readStoredKeys(device.page)).toEqual([]);
});

test('another user in the same browser does not get the key, and the tabs of the first user reload', async () => {
  const [ada, bob] = [newUser(), newUser()];
  await using device = await product.signIn(ada);
  await makeKey(device);
  await device.context.request.post('/auth/dev', { form: { user: bob }, maxRedirects: 0 });
  const page = await device.newTab();
  await page.goto('/dashboard/settings');
  // Both tabs ask, before either has decided.
  const tabs = [page, device.page];
  for (const tab of tabs) await button(tab, 'Remove it').waitFor();
  for (const tab of tabs) {
    await button(tab, 'Remove it').click();
    await button(tab, 'Make my key').waitFor();
    await tab.getByText(bob).first().waitFor();
  }

  await device.context.request.post('/auth/dev', { form: { user: ada }, maxRedirects: 0 });
  await page.reload();
  await button(page, 'Enter the recovery code').waitFor();
});

test('the end of a session does not delete the key in the browser', async () => {
  const user = newUser();
  await using device = await product.signIn(user);
  await makeKey(device);
  await device.context.clearCookies();
  await device.page.goto('/dashboard/settings');
  await device.page.waitForURL('**/auth/login');
  await device.context.request.post('/auth/dev', { form: { user }, maxRedirects: 0 });
  const page = await device.open('/settings');
  await button(page, newCode).waitFor();
});
