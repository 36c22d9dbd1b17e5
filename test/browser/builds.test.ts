import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { eventually } from '@expert-relay/testkit';
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { untilStored } from './setup/read-stored-keys.ts';
import { useProduct } from './setup/use-product.ts';

/* The relay is upgraded while a page is open: chunks that the page has not loaded yet no longer exist. */

const product = useProduct();
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'relay-builds-'));
  copyBuild(resolve('services/dashboard/web/dist'), folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Copies the built app and changes the hashes in its file names, as another version has. */
function copyBuild(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
  const assets = join(to, 'assets');
  const compressed = /\.(br|gz)$/;
  const files = [join(to, 'index.html'), ...readdirSync(assets).map((name) => join(assets, name))];
  for (const file of [...files, `${join(to, 'index.html')}.br`, `${join(to, 'index.html')}.gz`]) {
    if (compressed.test(file)) rmSync(file, { force: true });
  }
  const names = readdirSync(assets);
  const renamed = new Map(names.map((name) => [name, name.replace(/-[\w-]{8}(\.\w+)$/, '-0ther000$1')]));
  for (const file of files.filter((name) => /\.(html|js|css)$/.test(name))) {
    let text = readFileSync(file, 'utf8');
    for (const [name, next] of renamed) text = text.replaceAll(name, next);
    writeFileSync(file, text);
  }
  for (const [name, next] of renamed) renameSync(join(assets, name), join(assets, next));
}

/** Counts how often the page was loaded. */
function countLoads(page: Page): () => number {
  let loads = 0;
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) loads += 1;
  });
  return () => loads;
}

test('a page of an older build reloads once and keeps the draft', async () => {
  await using device = await product.signIn('ada');
  await using agent = await device.newAgent();
  const { requestId } = await agent.askPlainly({ question: 'Is it safe?', plaintext: 'Is it safe?' });
  const loads = countLoads(device.page);
  const page = await device.open(`/requests/${requestId}`);
  await page.getByRole('textbox', { name: 'Answer' }).fill('Not before noon');
  await untilStored(page, 'Not before noon');
  // Its code is loaded now, and would reload the page if it were loaded later.
  await page.locator('main [data-kind]').first().waitFor();
  await product.relay.restart('dashboard', { settings: { RELAY_WEB_FOLDER: folder } });
  try {
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    expect(loads()).toBe(2);
    await page.goBack();
    await page.getByRole('textbox', { name: 'Answer' }).waitFor();
    const box = page.getByRole('textbox', { name: 'Answer' });
    await eventually('the text is kept', async () => (await box.inputValue()) === 'Not before noon');
    expect(loads()).toBe(2);
  } finally {
    await product.relay.restart('dashboard');
  }
});

test('a page whose first script is not there yet loads itself again until it is, and says so in the end', async () => {
  await using device = await product.signIn('dora');
  const loads = countLoads(device.page);
  const isGone = (script: RegExp, when: () => boolean) =>
    device.context.route(script, (route) => (when() ? route.fulfill({ status: 404 }) : route.continue()));
  await isGone(/\/assets\/.*\.js$/, () => loads() <= 2);
  const page = await device.open('/settings');
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  expect(loads()).toBe(3);
  expect(await page.evaluate('sessionStorage.getItem("failed-starts")')).toBeNull();

  await isGone(/\/assets\/.*\.js$/, () => true);
  await page.evaluate('sessionStorage.setItem("failed-starts", "6")');
  await page.reload();
  await page.getByText('Some files of this page could not be loaded.').waitFor();
  expect(loads()).toBe(4);
});

test('a page is shown without its tooltips if their code is gone', async () => {
  await using device = await product.signIn('finn');
  await using agent = await device.newAgent();
  const { requestId } = await agent.askPlainly({ question: 'Is it old?', plaintext: 'Is it old?' });
  let isAsked = false;
  await device.context.route(/\/exact-time-.*\.js$/, (route) => {
    isAsked = true;
    return route.fulfill({ status: 404 });
  });
  const page = await device.open(`/requests/${requestId}`);
  await eventually('the tooltips are asked for', () => isAsked);
  await page.getByRole('textbox', { name: 'Answer' }).fill('Yes.');
  expect(await page.locator('main time').count()).toBeGreaterThan(0);
});

test('code of conversations that is gone reloads the page, too', async () => {
  await using device = await product.signIn('cleo');
  await using agent = await device.newAgent();
  await agent.askPlainly({ question: 'Is it old?', plaintext: 'Is it old?' });
  await agent.askPlainly({ question: 'Is it safe?', plaintext: 'Is it safe?' });
  const loads = countLoads(device.page);
  await device.context.route(/\/conversation-.*\.js$/, (route) =>
    loads() === 1 ? route.fulfill({ status: 404 }) : route.continue(),
  );
  const page = await device.open();
  await page.getByRole('link', { name: /Is it old/ }).click();
  await page.getByRole('textbox', { name: 'Answer' }).waitFor();
  expect(loads()).toBe(2);
});

test.each([
  ['the relay cannot be reached', 'connectionrefused'],
  ['the relay answers 503', 503],
] as const)(
  'code that is needed while %s is loaded afterwards, without a reload',
  async (_outage, failure) => {
    await using device = await product.signIn('edda');
    const page = await device.open();
    const loads = countLoads(page);
    let looks = 0;
    await device.context.route('**/dashboard/**', (route) => {
      if (route.request().method() === 'HEAD') looks += 1;
      return typeof failure === 'number' ? route.fulfill({ status: failure }) : route.abort(failure);
    });
    await page.getByRole('link', { name: 'Keys' }).click();
    await eventually('the page to look twice whether the relay answers', () => looks >= 2 || loads() > 0);
    await device.context.unrouteAll();
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    expect(loads()).toBe(0);
  },
);

test('a chunk that is still missing after the reload: an error with a button to reload', async () => {
  await using device = await product.signIn('bela');
  await using agent = await device.newAgent();
  await agent.askPlainly({ question: 'Is it safe?', plaintext: 'Is it safe?' });
  await device.context.route(/\/keys-page-.*\.js$/, (route) => route.fulfill({ status: 404 }));
  const loads = countLoads(device.page);
  // A page that was reloaded more than 30 seconds ago may be reloaded again.
  await device.context.clock.setFixedTime(new Date());
  const page = await device.open();
  await page.getByRole('link', { name: 'Keys' }).click();
  const button = page.getByRole('button', { name: 'Reload the page' });
  await button.waitFor();
  expect(loads()).toBe(2);
  // Other pages work.
  await page.getByRole('link', { name: 'Inbox' }).click();
  await page.getByRole('link', { name: /Is it safe/ }).waitFor();
  await page.getByRole('link', { name: 'Keys' }).click();
  const loaded = page.waitForEvent('domcontentloaded');
  await button.click();
  await loaded;
  await button.waitFor();
  expect(loads()).toBe(3);

  await device.context.unroute(/\/keys-page-.*\.js$/);
  await button.click();
  await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
  expect(loads()).toBe(4);
});
