import { eventually } from '@expert-relay/testkit';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { button, type Device, newUser } from './setup/open-product.ts';
import { pressUntil } from './setup/press-until.ts';
import { untilAnnounced } from './setup/until-announced.ts';
import { useProduct } from './setup/use-product.ts';

const product = useProduct();

const untilFocused = (page: Page, name: string) => button(page, name).and(page.locator(':focus')).waitFor();
/** The status of a call with a key. */
const statusOf = (key: string) =>
  eventually('an answer about the key', async () => {
    const headers = { 'x-api-key': key };
    const { status } = await fetch(`${product.relay.gatewayUrl}/api/v1/whoami`, { headers });
    return status < 500 && status;
  });

async function makeKey(page: Page, name: string, kind: RegExp = /^For an agent/): Promise<string> {
  await button(page, 'Make a key').click();
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  await page.getByRole('radio', { name: kind }).check();
  await button(page, 'Make key').click();
  return readSecret(page);
}

async function readSecret(page: Page): Promise<string> {
  await button(page, 'I have copied it').waitFor();
  return page
    .locator('code')
    .filter({ hasText: /^hs_\w{38}$|^hs_prov_\w{38}$/ })
    .innerText();
}

/** The storage and the content of a page, as text. */
const contentOf = (page: Page) =>
  page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }]) + document.body.innerHTML');

test('an API key can be created, is shown once, and can be renamed, rotated and revoked', async () => {
  await using device = await product.signIn(newUser());
  const page = await device.open('/keys');
  await page.getByText('You have no keys.').waitFor();

  await button(page, 'Make a key').click();
  await button(page, 'Make key').click();
  await page.getByText('Give it a name').waitFor();
  await button(page, 'Cancel').click();
  await untilFocused(page, 'Make a key');

  const secret = await makeKey(page, 'build bot');
  expect(await statusOf(secret)).toBe(200);
  await button(page, 'I have copied it').click();
  await untilFocused(page, 'Make a key');
  expect(await contentOf(page)).not.toContain(secret);

  await button(page, 'Rename: build bot').click();
  await page.locator('input:focus').waitFor();
  await page.keyboard.type('release bot');
  await page.keyboard.press('Enter');
  await button(page, 'Rename: release bot').waitFor();
  await untilFocused(page, 'Rename: release bot');

  await button(page, 'New secret: release bot').click();
  await page.getByRole('radio', { name: 'It works for 1 hour' }).check();
  await button(page, 'Make a new secret').click();
  const next = await readSecret(page);
  await page.getByText('The old one works until').waitFor();
  expect([await statusOf(secret), await statusOf(next)]).toEqual([200, 200]);
  await button(page, 'I have copied it').click();

  await button(page, 'New secret: release bot').click();
  await page.getByRole('radio', { name: /^It stops now/ }).check();
  await button(page, 'Make a new secret').click();
  const last = await readSecret(page);
  await button(page, 'I have copied it').click();
  await eventually('the old secrets are refused', async () =>
    (await Promise.all([secret, next].map(statusOf))).every((status) => status === 401),
  );
  expect(await statusOf(last)).toBe(200);

  await button(page, 'Revoke: release bot').click();
  await button(page, 'Revoke the key').click();
  await page.getByText('The key “release bot” is revoked.').waitFor();
  await eventually('the key is refused', async () => (await statusOf(last)) === 401);
  await page.getByText('Revoked keys (1)').click();
  await page.getByText('release bot', { exact: true }).waitFor();
  expect(device.problems).toEqual([]);
});

test('when keys cannot be read, a button tries again', async () => {
  await using device = await product.signIn(newUser());
  await device.context.route('**/api/keys', (route) => route.fulfill({ status: 500, json: {} }));
  const page = await device.open('/keys');
  await page.getByText('Your keys could not be read.').waitFor();
  await device.context.unroute('**/api/keys');
  await button(page, 'Try again').click();
  await page.getByText('You have no keys.').waitFor();
  // The button was removed, so the focus moves to the heading.
  await page.locator('h1:focus').waitFor();
});

test('when a key cannot be created, an error is shown beside the button, and the next try succeeds', async () => {
  await using device = await product.signIn(newUser());
  const page = await device.open('/keys');
  await page.getByText('You have no keys.').waitFor();
  await device.context.route('**/api/keys', (route) => route.abort());
  await button(page, 'Make a key').click();
  await page.getByRole('textbox', { name: 'Name' }).fill('build bot');
  await button(page, 'Make key').click();
  await page.getByText('The relay cannot be reached. Nothing was changed: try again.').waitFor();
  await device.context.unroute('**/api/keys');
  await button(page, 'Make key').click();
  await readSecret(page);
});

async function openSettings(device: Device): Promise<Page> {
  const page = await device.open('/settings');
  await page.getByText('this browser', { exact: true }).waitFor();
  return page;
}

test('the choices of appearance and shortcuts are kept', async () => {
  await using device = await product.signIn(newUser(), { colorScheme: 'light' });
  const page = await openSettings(device);
  const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
  const light = await background();
  await page.getByRole('radio', { name: 'Dark' }).check();
  await untilAnnounced(page, 'Saved');
  expect(await background()).not.toBe(light);
  await page.getByRole('switch', { name: 'Single-key shortcuts' }).uncheck();
  await page.reload();
  await page.getByText('this browser', { exact: true }).waitFor();
  expect(await background()).not.toBe(light);
  await page.keyboard.press('g');
  await page.keyboard.press('k');
  await page.getByRole('switch', { name: 'Single-key shortcuts' }).check();
  await page.getByRole('heading', { name: 'Settings' }).click();
  await pressUntil(page, ['g', 'k'], page.getByRole('heading', { name: 'Keys', level: 1 }));
});

test('other sessions can be ended one by one, all at once, or together with this one', async () => {
  const user = newUser();
  await using device = await product.signIn(user);
  await using second = await product.signIn(user);
  await using third = await product.signIn(user);
  const isSignedIn = async ({ context }: Device) => {
    const status = await eventually('an answer about the session', async () => {
      const answer = await context.request.get('/api/me');
      return answer.status() < 500 && answer.status();
    });
    return status === 200;
  };
  const page = await openSettings(device);
  await page
    .getByRole('button', { name: /^End the session/ })
    .first()
    .click();
  await untilAnnounced(page, 'has ended.');
  expect([await isSignedIn(second), await isSignedIn(third)].filter(Boolean)).toHaveLength(1);
  await button(page, 'End all others').click();
  await untilAnnounced(page, 'All other sessions have ended.');
  expect([await isSignedIn(second), await isSignedIn(third)]).toEqual([false, false]);
  expect(await isSignedIn(device)).toBe(true);

  await button(page, 'Sign out everywhere').click();
  await button(page, 'Sign out everywhere').last().click();
  await page.waitForURL('**/auth/login');
  expect(await isSignedIn(device)).toBe(false);
});

test('an account can be added at its provider, and removed with its sessions', async () => {
  await using device = await product.signIn(newUser());
  const page = await openSettings(device);
  await device.context.route('https://github.com/**', (route) => route.fulfill({ body: 'GitHub' }));
  await button(page, 'Add GitHub').click();
  await page.waitForURL('https://github.com/login/oauth/authorize?**');

  const identities = ['github', 'dev'].map((provider) => ({
    provider,
    label: 'ada',
    createdAt: new Date().toISOString(),
  }));
  await device.context.route('**/api/identities', (route) =>
    route.fulfill({ json: { identities, providers: [] } }),
  );
  await device.context.route('**/api/identities/github', (route) => route.fulfill({ status: 204 }));
  await openSettings(device);
  await button(page, 'Remove Local sign-in').click();
  await page.getByText('this one too, so you sign in again in another way').waitFor();
  await button(page, 'Keep it').click();
  await button(page, 'Remove GitHub').click();
  await page.getByText('every session that was started with it ends.').waitFor();
  await button(page, 'Remove GitHub').last().click();
  await untilAnnounced(page, 'GitHub is removed.');
  // The last account cannot be removed.
  expect(await button(page, /^Remove (Local|GitHub)/).count()).toBe(0);
});

test('a page with a new secret is not loaded again without a question', async () => {
  await using device = await product.signIn(newUser());
  const page = await device.open('/keys');
  const secret = await makeKey(page, 'build bot');
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    return dialog.dismiss();
  });
  await page.evaluate('location.reload()').catch(() => {});
  await eventually('the question', () => asked.length === 1);
  await page.getByText(secret, { exact: true }).waitFor();
  expect(asked).toEqual(['beforeunload']);
});
