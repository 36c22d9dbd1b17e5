import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { openRelayWithProviders, type RelayWithProviders } from '../e2e/sign-in/open-relay-with-providers.ts';
import { browserTest as test } from './setup/browser-test.ts';
import { checkAccessibility } from './setup/check-accessibility.ts';
import { openBrowser } from './setup/open-browser.ts';
import { button } from './setup/open-product.ts';

let clockOffsetMs = 0;
let setup: RelayWithProviders;
let browser: Browser;
beforeAll(async () => {
  setup = await openRelayWithProviders({ clock: { now: () => Date.now() + clockOffsetMs } });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await setup?.stop();
});

test('ten minutes after the sign-in, an account is added after signing in again', async () => {
  const emails = [{ email: 'ada@example.com', primary: true, verified: true }];
  setup.github.user = { id: 1, login: 'ada', name: null, emails };
  const page = await browser.newPage({ baseURL: setup.relay.gatewayUrl, reducedMotion: 'reduce' });
  await page.goto('/auth/github');
  await page.goto('/dashboard/settings');
  await button(page, 'Add Google').waitFor();
  clockOffsetMs = 11 * 60_000;
  await button(page, 'Add Google').click();
  await page.getByText('Adding and removing accounts needs a recent sign-in.').waitFor();
  expect(await checkAccessibility(page)).toEqual([]);
  await button(page, 'Sign in again').click();
  await page.waitForURL('**/dashboard/settings');
  await page.getByText('Adding and removing accounts needs a recent sign-in.').waitFor({ state: 'detached' });
  await button(page, 'Add Google').click();
  await page.waitForURL(`${setup.google.issuer}/**`);
});
