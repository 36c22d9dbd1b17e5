import { type Constellation, startConstellation } from '@expert-relay/constellation';
import { reservePort } from '@expert-relay/testkit';
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { openBrowser } from './setup/open-browser.ts';

/* A relay in a private network without https. Browsers offer its pages no WebCrypto, locks or service worker. */

let browser: Browser;
let relay: Constellation;
let publicUrl: string;

beforeAll(async () => {
  browser = await openBrowser(['--host-resolver-rules=MAP relay.test 127.0.0.1']);
  publicUrl = `http://relay.test:${await reservePort()}`;
  relay = await startConstellation({ env: { RELAY_PUBLIC_URL: publicUrl, RELAY_DEV_LOGIN: 'false' } });
}, 600_000);
afterAll(async () => {
  await browser?.close();
  await relay?.stop();
});

test('over http from another machine, a page in place of the app says how to open it', async () => {
  const context = await browser.newContext({ baseURL: publicUrl });
  const problems: string[] = [];
  context.on('weberror', (error) => problems.push(error.error().message));
  const { userId } = await relay.makeTenant('grace');
  const { url } = await relay.makeSignInLink(userId);
  const page = await context.newPage();
  const calls: string[] = [];
  page.on('request', (request) => calls.push(new URL(request.url()).pathname));
  await page.goto(new URL(url).pathname + new URL(url).search);
  await page.getByRole('button').click();
  await page.getByRole('heading', { name: 'Open this page over https' }).waitFor();
  expect(await page.evaluate('isSecureContext')).toBe(false);
  await page.getByText('ssh -L 8080:127.0.0.1:8080 -L 8090:127.0.0.1:8090 relay.test').waitFor();
  expect(calls.filter((path) => path.startsWith('/api/'))).toEqual([]);
  expect(problems).toEqual([]);
});
