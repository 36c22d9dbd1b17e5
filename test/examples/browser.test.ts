import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { makeRoot } from '@expert-relay/sdk/crypto';
import { createExpert } from '@expert-relay/sdk/expert';
import { reservePort } from '@expert-relay/testkit';
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { browserTest as test } from '../browser/setup/browser-test.ts';
import { openBrowser } from '../browser/setup/open-browser.ts';
import { type RunningExample, runExample } from './run-example.ts';

let relay: Constellation;
let tenant: Tenant;
let server: RunningExample;
let browser: Browser;
let address: string;

beforeAll(async () => {
  const port = await reservePort();
  address = `http://127.0.0.1:${port}`;
  [relay, browser] = await Promise.all([
    startConstellation({ env: { RELAY_CORS_ORIGINS: address } }),
    openBrowser(),
  ]);
  tenant = await relay.makeTenant();
  server = runExample(['node', 'examples/browser/serve.mjs'], { PORT: String(port) });
  await server.untilPrinted(/Open http:/);
});

afterAll(async () => {
  await browser.close();
  await server.stop();
  await relay.stop();
});

test('examples/browser: asks, and shows each answer as text when it arrives', async () => {
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  await page.goto(address);
  await page.getByLabel('Relay').fill(relay.gatewayUrl);
  await page.getByLabel('Consumer key').fill(tenant.consumerKey);
  await page.getByLabel('Question').fill('May I remove the lock file?');
  await page.getByRole('button', { name: 'Ask' }).click();
  await page.getByText(/Asked as HS-\w+\. Waiting/).waitFor();

  const expert = createExpert({ url: relay.gatewayUrl, apiKey: tenant.providerKey, root: makeRoot() });
  for await (const request of expert.requests()) {
    expect(request.question).toBe('May I remove the lock file?');
    await request.answer('Yes, <b>it</b> is stale.');
    await page.getByText('Yes, <b>it</b> is stale.').waitFor();
    await request.answer('Really.');
    await page.getByText('Really.').waitFor();
    expect(await page.locator('#progress').textContent()).toBe(
      `From the expert ${await expert.fingerprint()}:`,
    );
    await request.close();
    await page.getByText(`${request.refCode} has ended.`).waitFor();
    break;
  }
  expert.stop();
  expect(problems).toEqual([]);
});

test('examples/browser: names the missing setting when the relay does not allow the origin', async () => {
  const strict = await startConstellation();
  const page = await browser.newPage();
  await page.goto(address);
  await page.getByLabel('Relay').fill(strict.gatewayUrl);
  await page.getByLabel('Consumer key').fill((await strict.makeTenant()).consumerKey);
  await page.getByLabel('Question').fill('Anybody?');
  await page.getByRole('button', { name: 'Ask' }).click();
  const message = page.locator('#progress', { hasText: 'cannot be reached' });
  await message.waitFor({ timeout: 110_000 });
  expect(await message.textContent()).toContain(
    `the relay's setting RELAY_CORS_ORIGINS must contain ${address}.`,
  );
  await page.close();
  await strict.stop();
});

test('examples/browser: shows an error when the key is invalid', async () => {
  const page = await browser.newPage();
  await page.goto(address);
  await page.getByLabel('Relay').fill(relay.gatewayUrl);
  await page.getByLabel('Consumer key').fill(`${tenant.consumerKey.slice(0, -1)}~`);
  await page.getByLabel('Question').fill('Anybody?');
  await page.getByRole('button', { name: 'Ask' }).click();
  await page.locator('#progress', { hasText: /key/i }).waitFor();
});
