import { eventually, expensiveTexts, hostileTexts, largeHostileText } from '@expert-relay/testkit';
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { checkAccessibility } from './setup/check-accessibility.ts';
import { findSidewaysScrolling } from './setup/check-layout.ts';
import { chooseAction } from './setup/choose-action.ts';
import { makeExpertKey } from './setup/make-expert-key.ts';
import { button, type Device, openProduct, type Product } from './setup/open-product.ts';
import { sendByKeyboard } from './setup/send-by-keyboard.ts';
import { watchAttacks } from './setup/watch-attacks.ts';

/* Texts of agents are only shown. They never become scripts, forms or other elements of the page. */

let product: Product & AsyncDisposable;
let device: Device;
let page: Page;
let attacks: readonly string[];

beforeAll(async () => {
  product = await openProduct();
  device = await product.signIn('ada');
  attacks = await watchAttacks(device.context, [product.relay.gatewayUrl, product.relay.hubUrl]);
  page = await device.newTab();
  // Chromium may have to be installed first.
}, 600_000);
afterAll(async () => {
  await device?.[Symbol.asyncDispose]();
  await product?.[Symbol.asyncDispose]();
});

/** All texts, starting with one of them. Tests rotate them so that each text is used in each field. */
const textsFrom = (start: number): string[] =>
  hostileTexts.map((_, at) => hostileTexts[(start + at) % hostileTexts.length] as string);

/** Each text is a message of two requests, and every fourth one is a question. */
const starts = [...hostileTexts.keys()].filter((start) => start % 4 === 0);

test('hostile text in any field of a request is only shown', async () => {
  for (const start of starts) {
    const [question, plaintext, ...rest] = textsFrom(start);
    const name = rest.find((text) => text.length <= 100) ?? '';
    await using agent = await device.newAgent(name);
    const messages = rest.slice(0, 10).map((content, at) => ({ role: rest[at + 10]?.slice(0, 64), content }));
    await agent.askPlainly({ question, plaintext, messages });
  }
  await page.goto('/dashboard/requests');
  await page.locator('[data-request]').first().waitFor();
  await checkPage(page);
  for (const _ of starts) {
    const before = page.url();
    await page.keyboard.press('j');
    await page.waitForURL((url) => url.href !== before);
    await page.getByRole('article', { name: 'Question' }).waitFor();
    await untilFormatted(page);
    for (const fold of await page.locator('details > summary').all()) await fold.click();
    await clickAll(page);
    await checkPage(page);
  }
  expect(attacks).toEqual([]);
});

test('hostile text in a message, encrypted or plain, or in an answer of the expert is only shown', async () => {
  await using agent = await device.newAgent('chatty agent');
  const { requestId } = await agent.askPlainly({ question: 'Plain', plaintext: 'Plain' });
  for (const text of hostileTexts) await agent.sendPlainly(requestId, text);
  await openConversation(requestId);
  await showEach(hostileTexts.length);

  const conversation = await agent.ask('Encrypted');
  await openConversation(conversation.requestId);
  const box = page.getByRole('textbox', { name: 'Answer' });
  await box.fill('Hello.');
  await sendByKeyboard(page);
  await makeExpertKey(page);
  await conversation.waitForAnswer({ timeoutMs: 120_000 });
  for (const text of hostileTexts) await conversation.send(text);
  await showEach(hostileTexts.length);

  // The preview has the same parser, so that several texts may stand in one.
  for (const start of starts) {
    await box.fill(textsFrom(start).slice(0, 4).join('\n\n'));
    await button(page, 'Preview').click();
    await page.getByRole('region', { name: 'Preview' }).waitFor();
    await clickAll(page);
    await checkPage(page);
    await button(page, 'Write').click();
  }
  await box.fill(textsFrom(0).join('\n\n'));
  await sendByKeyboard(page);
  await conversation.waitForAnswer({ timeoutMs: 120_000 });
  await checkPage(page);
  expect(attacks).toEqual([]);
});

test('a request with 1 MB of hostile text can be read and answered', async () => {
  await using agent = await device.newAgent('large agent');
  const { requestId } = await agent.askPlainly({ question: largeHostileText(), plaintext: 'Large' });
  await openConversation(requestId);
  await checkLayoutOfLargeText(page);
  await page.getByRole('button', { name: /^Show all/ }).click();
  await page.getByRole('button', { name: 'Show less' }).waitFor();
  await checkLayoutOfLargeText(page);

  const conversation = await agent.ask('Large and encrypted');
  await openConversation(conversation.requestId);
  await page.getByRole('textbox', { name: 'Answer' }).fill('Hello.');
  await sendByKeyboard(page);
  await conversation.waitForAnswer({ timeoutMs: 120_000 });
  await conversation.send(largeHostileText(770_000));
  await page.getByRole('button', { name: /^Show all/ }).waitFor();
  await checkLayoutOfLargeText(page);
  await page.getByRole('textbox', { name: 'Answer' }).fill('Too long for me.');
  // The press leads to the button that opens the text, and then to its end.
  await page.getByRole('textbox', { name: 'Answer' }).press('Control+Enter');
  await page.locator('[data-folded]:focus').click();
  await sendByKeyboard(page);
  expect((await conversation.waitForAnswer({ timeoutMs: 120_000 })).text).toBe('Too long for me.');

  // The expert can type and preview a long text too.
  const box = page.getByRole('textbox', { name: 'Answer' });
  await box.fill(largeHostileText(100_000));
  await button(page, 'Preview').click();
  await checkLayoutOfLargeText(page);
  await button(page, 'Write').click();
  expect(attacks).toEqual([]);
});

test('a conversation full of expensive text keeps its page usable', async () => {
  await using agent = await device.newAgent('expensive agent');
  const session = await device.context.newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  for (const [name, text] of Object.entries(expensiveTexts)) {
    const isLong = text.length > 30_000;
    const messages = Array.from({ length: isLong ? 1 : 3 }, () => ({ role: 'user', content: text }));
    const { requestId } = await agent.askPlainly({ question: text, plaintext: 'Expensive', messages });
    for (let at = 0; at < 4; at++) await agent.sendPlainly(requestId, text);
    await openConversation(requestId);
    await page.locator('[data-message]').nth(3).waitFor();
    for (const fold of await page.locator('details > summary').all()) await fold.click();
    if (isLong)
      await page
        .getByRole('button', { name: /^Show all/ })
        .first()
        .click();
    await page.locator('main article').first().scrollIntoViewIfNeeded();
    await chooseAction(page, 'End request');
    await page.getByRole('button', { name: 'Keep open' }).click();
    const elements = await page.evaluate<number>(`document.querySelectorAll('main *').length`);
    const { metrics } = await session.send('Performance.getMetrics');
    const seconds = metrics.find((metric) => metric.name === 'TaskDuration')?.value ?? Number.NaN;
    // Each takes about a second of the page's CPU time or less.
    if (!(elements < 20_000 && seconds < 10)) throw new Error(`${name}: ${elements} elements, ${seconds} s`);
  }
});

test('hidden characters in code, links and names are visible, and marks stay in their line', async () => {
  await using agent = await device.newAgent('deploy\u202etobe\u200b');
  const zalgo = 'z\u0301\u0302\u0303\u0304';
  const { requestId } = await agent.askPlainly({
    plaintext: 'Plain',
    question: [
      'مرحبا احذف `/var/run/deploy.lock` ثم `tmp/\u202efr- mr`',
      '```\nrm -rf /\u2067tmp\u200b\n```',
      '[pay\u00adpal](https://evil.example/)',
      `Some ${zalgo} text and \u202ean override, שלום\u200f.`,
    ].join('\n\n'),
  });
  await openConversation(requestId);
  await untilFormatted(page);
  const article = page.getByRole('article', { name: 'Question' });
  expect(await article.locator('[data-kind] code').allTextContents()).toEqual([
    '`/var/run/deploy.lock`',
    '`tmp/<U+202E>fr- mr`',
    'rm -rf /<U+2067>tmp<U+200B>\n',
  ]);
  expect(await article.getByRole('link').textContent()).toMatch(
    /^\[pay\u00adpal\]\(https:\/\/evil\.example\/\)$/,
  );
  expect(await article.getByText('an override').textContent()).toBe(
    `Some ${zalgo} text and <U+202E>an override, שלום\u200f.`,
  );
  await page.getByRole('heading', { name: 'deploy<U+202E>tobe<U+200B>' }).waitFor();
  expect(await page.title()).toContain('deploy<U+202E>tobe<U+200B>');
  await page.locator('[data-request]', { hasText: 'deploy<U+202E>tobe<U+200B>' }).waitFor();
  // The first character of the path is at its left, although the sentence runs from right to left.
  const [slash, last] = await page.evaluate<number[]>(`(() => {
    const text = document.querySelector('main article code').children[0].nextSibling;
    return [0, text.length - 1].map((at) => {
      const range = document.createRange();
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      return range.getBoundingClientRect().left;
    });
  })()`);
  expect(slash).toBeLessThan(last ?? 0);
  const tall = await page.evaluate(`(() => {
    const box = document.querySelector('main article [data-tall]');
    return [box.textContent, getComputedStyle(box).overflow, box.offsetHeight < 40];
  })()`);
  expect(tall).toEqual([zalgo, 'clip', true]);
});

test('code that names its language is coloured, and keeps its text, its direction and its hidden characters', async () => {
  await using agent = await device.newAgent('build agent');
  const blocks = [
    'bash\nrm -rf "/\u202etmp" # all of it',
    'ts title="main.ts"\nconst port: number = 8080;',
    'js\nlet a = `-old`;',
    '\nconst plain = 1;',
    `bash\n${'a'.repeat(9_000)} # a long line`,
    '<script>\nconst plain = 2;',
  ];
  const question = blocks.map((block) => `\`\`\`${block}\n\`\`\``).join('\n\n');
  const { requestId } = await agent.askPlainly({ question, plaintext: 'Plain' });
  await openConversation(requestId);
  const code = page.getByRole('article', { name: 'Question' }).locator('[data-kind=code] code');
  const coloured = (at: number, kind: string) => code.nth(at).locator(`span[style*="${kind}"]`);
  await coloured(2, 'keyword').waitFor();
  expect(await code.first().textContent()).toBe('rm -rf "/<U+202E>tmp" # all of it\n');
  expect(await coloured(0, 'comment').textContent()).toBe('# all of it');
  expect(await coloured(1, 'keyword').first().textContent()).toBe('const');
  for (const at of [3, 4, 5]) expect(await code.nth(at).locator('span[style]').count()).toBe(0);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await checkAccessibility(page)).toEqual([]);
    expect(
      await page.evaluate(`[...document.querySelectorAll('main [data-kind=code]')].map((code) => code.dir)`),
    ).toEqual(blocks.map(() => 'ltr'));
  }
  await page.emulateMedia({ colorScheme: null });
  await checkPage(page);
});

test('watchAttacks reports scripts and violations of the policy', async () => {
  await using other = await product.signIn('grace');
  const reported = await watchAttacks(other.context, [product.relay.gatewayUrl, product.relay.hubUrl]);
  const tab = await other.newTab();
  await tab.goto('/dashboard/requests');
  await tab.evaluate('hostile()');
  await tab.evaluate(`document.body.append(Object.assign(new Image(), { src: 'https://evil.example/pixel.png' }));
    new Promise((done) => addEventListener('securitypolicyviolation', done))`);
  await eventually('both reports', () => reported.length >= 2);
  expect(reported).toEqual(
    expect.arrayContaining(['a script ran', expect.stringContaining('policy: img-src https://evil.example')]),
  );
});

async function openConversation(requestId: string): Promise<void> {
  await page.goto(`/dashboard/requests/${requestId}`);
  await page.getByRole('article', { name: 'Question' }).waitFor();
}

/** Scrolls to each message, because messages outside of the screen are not formatted. */
async function showEach(count: number): Promise<void> {
  const messages = page.locator('[data-message]');
  await messages.nth(count - 1).waitFor();
  for (let at = 0; at < count; at += 5) await messages.nth(at).scrollIntoViewIfNeeded();
  await untilFormatted(page);
  await clickAll(page);
  await checkPage(page);
}

const untilFormatted = (tab: Page) => tab.locator('main [data-kind]').first().waitFor();

/** Clicks all elements whose text contains "press" or "link". Real links are checked by checkPage instead. */
async function clickAll(tab: Page): Promise<void> {
  await tab.evaluate(`for (const element of document.querySelectorAll('main [data-kind] *, main [data-part], main bdi'))
    if (/press|link/.test(element.textContent) && !element.closest('a[href], button')) element.click()`);
}

interface Found {
  readonly links: readonly { href: string; rel: string; shown: string }[];
  readonly elements: readonly string[];
}

/** Expects that texts became only text and links, and that each link shows its target. */
async function checkPage(tab: Page): Promise<void> {
  const { links, elements } = await tab.evaluate<Found>(`({
    links: [...document.querySelectorAll('main a[href]')]
      .filter((link) => !link.href.startsWith(location.origin + '/dashboard/requests'))
      .map(({ href, rel, textContent }) => ({ href, rel, shown: textContent })),
    elements: [...document.querySelectorAll(
      'script:not([src^="/dashboard/"]), base, meta[http-equiv], main :is(img, iframe, object, embed, form, style, link, video, audio, template, math)'
    )].map(({ outerHTML }) => outerHTML),
  })`);
  expect(elements).toEqual([]);
  for (const { href, rel, shown } of links) {
    const { protocol, host, pathname } = new URL(href);
    expect(['http:', 'https:', 'mailto:']).toContain(protocol);
    expect(rel).toBe('noopener noreferrer');
    expect(shown).toContain(host || decodeURIComponent(pathname));
  }
}

/** Expects no horizontal scrolling, and that the header and the reply box are still visible. */
async function checkLayoutOfLargeText(tab: Page): Promise<void> {
  await tab.getByRole('button', { name: 'More actions', exact: true }).waitFor();
  await tab.locator('[data-reply]').waitFor({ state: 'attached' });
  const found = await tab.evaluate(`({
    header: document.querySelector('header h1').getBoundingClientRect().top >= 0,
    reply: document.querySelector('[data-reply]').closest('main > * *').getBoundingClientRect().top >= 0 &&
      [...document.querySelectorAll('main button')].filter(({ textContent }) => /^(Send|Answer)$/.test(textContent))
        .every((button) => button.getBoundingClientRect().bottom <= innerHeight),
  })`);
  expect(found).toEqual({ header: true, reply: true });
  expect(await findSidewaysScrolling(tab)).toEqual([]);
}
