import { type Constellation, startConstellation, type Tenant } from '@expert-relay/constellation';
import { createRelay } from '@expert-relay/sdk';
import { eventually, reservePort } from '@expert-relay/testkit';
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { openBrowser } from './setup/open-browser.ts';
import { button } from './setup/open-product.ts';
import { decide } from './setup/sample-forms.ts';

/* A relay in a private network without https. Browsers offer its pages no WebCrypto, locks or service worker. */

let browser: Browser;
let relay: Constellation;
let tenant: Tenant;
let context: BrowserContext;
let page: Page;
const problems: string[] = [];

beforeAll(async () => {
  browser = await openBrowser(['--host-resolver-rules=MAP relay.test 127.0.0.1']);
  const publicUrl = `http://relay.test:${await reservePort()}`;
  relay = await startConstellation({ env: { RELAY_PUBLIC_URL: publicUrl, RELAY_DEV_LOGIN: 'false' } });
  tenant = await relay.makeTenant('grace');
  context = await browser.newContext({ baseURL: publicUrl, locale: 'en-GB', timezoneId: 'UTC' });
  context.on('weberror', (error) => problems.push(error.error().message));
  const { url } = await relay.makeSignInLink(tenant.userId);
  page = await context.newPage();
  await page.goto(new URL(url).pathname + new URL(url).search);
  await page.getByRole('button').click();
  // Only a page that has shown that there is no request yet opens the first one automatically.
  await page.getByRole('heading', { name: 'No requests yet' }).waitFor();
}, 600_000);
afterAll(async () => {
  await browser?.close();
  await relay?.stop();
});

test('without https, a request without encryption can be answered and closed', async () => {
  expect(await page.evaluate('isSecureContext')).toBe(false);
  const answer = await fetch(`${relay.gatewayUrl}/api/v1/help`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      apiKey: tenant.consumerKey,
      messages: [],
      question: 'May I remove the lock file?',
      plaintext: 'May I remove the lock file?',
    }),
  });
  const { requestId } = (await answer.json()) as { requestId: string };
  // The first request opens automatically.
  const box = page.getByRole('textbox', { name: 'Answer' });
  await box.fill('Yes.');
  await button(page, 'Send').click();
  await eventually('the answer', async () => (await messagesOf(requestId)).length === 1);
  expect(await messagesOf(requestId)).toMatchObject([{ role: 'provider', plaintext: 'Yes.' }]);

  await fetch(`${relay.gatewayUrl}/api/v1/message/${requestId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': tenant.consumerKey },
    body: JSON.stringify({ role: 'consumer', plaintext: 'And the cache?', messageId: crypto.randomUUID() }),
  });
  await page.getByText('And the cache?').waitFor();
  await page.getByRole('button', { name: 'End request', exact: true }).click();
  await page.getByRole('button', { name: 'End it now' }).click();
  await page.getByText('This request has ended. Nothing more can be sent.').waitFor();
  expect(problems).toEqual([]);
});

test('without https, an approval without encryption can be declined', async () => {
  const form = { type: 'object', properties: {} } as const;
  const question = 'May I delete it?';
  const agent = createRelay({ url: relay.gatewayUrl, apiKey: tenant.consumerKey });
  const { requestId } = await agent.ask({ question, plaintext: question, encrypted: false, form });
  await page.getByRole('link', { name: /May I delete it/ }).click();
  await decide(page, 'Decline');
  await eventually('the answer', async () => (await messagesOf(requestId)).length === 1);
  const [message] = (await messagesOf(requestId)) as { plaintext: string; answer: string }[];
  expect(message?.plaintext).toBe('Declined.');
  expect(JSON.parse(message?.answer ?? '')).toMatchObject({ action: 'decline' });
  await page.getByText('Declined', { exact: true }).waitFor();
  agent.stop();
  expect(problems).toEqual([]);
});

test('without https, an encrypted request shows its question, and a text says that answers need https', async () => {
  const agent = createRelay({ url: relay.gatewayUrl, apiKey: tenant.consumerKey });
  await agent.ask({ question: 'Which of the two keys?', messages: [] });
  await page.getByRole('link', { name: /Which of the two keys/ }).click();
  await page.getByRole('article', { name: 'Question' }).getByText('Which of the two keys?').waitFor();
  await page.getByText(/Encrypted answers need https/).waitFor();
  expect(await page.getByRole('textbox', { name: 'Answer' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByText(/Browsers encrypt only on pages that were loaded over https/).waitFor();
  await page.getByRole('link', { name: 'Keys' }).click();
  await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
  agent.stop();
  expect(problems).toEqual([]);
});

async function messagesOf(requestId: string): Promise<unknown[]> {
  const headers = { 'x-api-key': tenant.consumerKey };
  const answer = await fetch(`${relay.gatewayUrl}/api/v1/messages/${requestId}`, { headers });
  return ((await answer.json()) as { messages: unknown[] }).messages;
}
