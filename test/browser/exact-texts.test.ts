import { eventually, exactTexts, longText } from '@expert-relay/testkit';
import { beforeAll, describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { checkAccessibility } from './setup/check-accessibility.ts';
import { makeExpertKey } from './setup/make-expert-key.ts';
import { button, type Device, newUser, type TestAgent } from './setup/open-product.ts';
import { useProduct } from './setup/use-product.ts';

/* Where the characters of a text stand on the page: in their order, and none out of sight. */

const product = useProduct();
const sizes = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 360, height: 640 },
];
const approval = { type: 'object', properties: {} } as const;

let device: Device;
let agent: TestAgent;
beforeAll(async () => {
  device = await product.signIn(newUser());
  agent = await device.newAgent();
});

async function open(asked: Parameters<TestAgent['relay']['ask']>[0]): Promise<Page> {
  const { requestId } = await agent.relay.ask({ ...asked, encrypted: false });
  const page = await device.open(`/requests/${requestId}`);
  await page.getByRole('article', { name: 'Question' }).waitFor();
  return page;
}

/** The texts of the question and of the messages before it. */
const texts = 'article [data-written], article div:has(> [data-kind])';

/**
 * Characters that stand before an earlier one, on an earlier line or further left, or outside of the pane. Words of
 * right-to-left scripts run to the left; what is isolated within them does not, nor do letters and slashes between them.
 */
const misplaced = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const found = [];
    const pane = document.querySelector('[data-pane]').getBoundingClientRect();
    const range = document.createRange();
    for (const text of document.querySelectorAll(${JSON.stringify(texts)})) {
      const isLeftToRight = !/[\\u0590-\\u08ff]/.test(text.textContent);
      const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
      let last, lastWord;
      while (walker.nextNode()) {
        const node = walker.currentNode;
        if (node.parentElement.closest('button')) continue;
        const line = node.parentElement.closest('[dir=ltr], td, th, [data-part], [data-kind]');
        const block = node.parentElement.closest('td, th, [data-part], [data-kind]');
        for (let at = 0; at < node.length; at += 1) {
          if (/[\\u0590-\\u08ff\\n]/.test(node.data[at])) lastWord = undefined;
          if (/\\s/.test(node.data[at])) continue;
          range.setStart(node, at);
          range.setEnd(node, at + 1);
          const { left, right, top, bottom, width } = range.getBoundingClientRect();
          const say = (what) => found.push(what + ': ' + node.data.slice(Math.max(0, at - 20), at + 20));
          if (width > 0 && (left < pane.left - 1 || right > pane.right + 1)) say('out of sight');
          const isOrdered = isLeftToRight || line.dir === 'ltr';
          if (isOrdered && last?.line === line && !(top >= last.bottom - 4 || left >= last.left - 1)) say('before an earlier one');
          if (isOrdered && last?.line === line && bottom < last.top) say('above an earlier one');
          last = { line, left, top, bottom };
          if (!/[a-zé/\\\\]/i.test(node.data[at])) continue;
          if (lastWord?.block === block && !(top >= lastWord.bottom - 4 || left >= lastWord.left - 1)) say('a word before an earlier one');
          lastWord = { block, left, bottom };
        }
      }
    }
    return found;
  })()`);

const all = Object.values(exactTexts);

describe.each([
  ['formatted', {}],
  ['as written, where something is decided', { form: approval }],
])('texts that are %s', (_, asked) => {
  test.each([
    [all[0] ?? '', all.slice(1, 7)],
    [all[7] ?? '', all.slice(8)],
  ])(
    'have all of their characters in order and in sight, from laptop to phone',
    async (question, messages) => {
      const page = await open({
        ...asked,
        question,
        messages: messages.map((content) => ({ role: 'user', content })),
      });
      for (const fold of await page.locator('details:not([open]) > summary').all()) await fold.click();
      const isDecision = 'form' in asked;
      await eventually(
        'all are shown',
        async () => (await page.locator(texts).count()) === messages.length + 1,
      );
      for (const size of sizes) {
        await page.setViewportSize(size);
        await page.evaluate(
          'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
        );
        expect({ size, misplaced: await misplaced(page) }).toEqual({ size, misplaced: [] });
      }
      if (isDecision) expect(await page.locator(texts).allTextContents()).toEqual([question, ...messages]);
      expect(await checkAccessibility(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await checkAccessibility(page, ['color-contrast'])).toEqual([]);
      await page.emulateMedia({ colorScheme: null });
      expect(device.problems).toEqual([]);
    },
  );
});

test('the switch shows a text as it was written, and back', async () => {
  const page = await open({
    question: 'Is **this**  right?',
    messages: [{ role: 'user', content: 'No marks.' }],
  });
  const article = page.getByRole('article', { name: 'Question' });
  const written = article.getByRole('button', { name: 'As written' });
  // The other text is the same in both ways.
  await article.locator('[data-look~=strong]').first().waitFor();
  expect(await written.count()).toBe(1);
  await written.click();
  expect(await article.locator('[data-written]').textContent()).toBe('Is **this**  right?');
  await written.and(page.locator('[aria-pressed=true]')).click();
  await article.locator('[data-look~=strong]').first().waitFor();
});

test('white space and letters that are easily read as others are marked, and copied as they are', async () => {
  const text =
    'rm\u00a0-rf /srv/\u0430dmin \\ \n\t/tmp\t\t# \u043d\u0435\u0442, \u03b1\u03b2, \u3042\u3000\u3044';
  const page = await open({ question: text, form: approval });
  const written = page.getByRole('article', { name: 'Question' }).locator('[data-written]');
  expect(await written.textContent()).toBe(text);
  const copied = await page.evaluate(`(() => {
    getSelection().selectAllChildren(document.querySelector('article [data-written]'));
    return String(getSelection());
  })()`);
  expect(copied).toBe(text);
  const marks = await page.evaluate<string[]>(
    `[...document.querySelectorAll('article [data-marked]')].map((mark) => mark.dataset.code ?? mark.dataset.marked)`,
  );
  expect(marks).toEqual(['U+00A0', 'U+0430', 'spaces', 'tabs', 'tabs']);
  expect(
    await page.evaluate(`getComputedStyle(document.querySelector('article [data-code]'), '::after').content`),
  ).toBe('"<U+00A0>"');
  for (const size of sizes) {
    await page.setViewportSize(size);
    expect(await misplaced(page)).toEqual([]);
  }
});

test('isolates do not put the words of a question into another order', async () => {
  const page = await open({
    question: 'Copy \u2067\u2066prodword\u2069 → \u2066stagingword\u2069\u2069 to \u202b1 → 2\u202c now.',
  });
  const article = page.getByRole('article', { name: 'Question' });
  await article.locator('[data-kind]').waitFor();
  expect(await article.locator('[data-kind]').textContent()).toContain('<U+2067><U+2066>prodword<U+2069>');
  await page.setViewportSize({ width: 1440, height: 900 });
  expect(await misplaced(page)).toEqual([]);
});

test('a line of code or of a diff begins at the left, whatever its letters are', async () => {
  const lines = '-שלום /etc/x\n+שלום → /etc/y\n';
  const page = await open({
    question: `Right?\n\n\`\`\`txt\n${lines}\`\`\`\n\n\`\`\`js\n// שלום\nיש = "/a" + "/b"\n\`\`\``,
    messages: [{ role: 'user', content: `@@ -1 +1 @@\n${lines}` }],
  });
  await page.locator('[data-line=added]').waitFor();
  await page.locator('[data-kind=code]').nth(1).waitFor();
  // Of the right-to-left letters themselves, the first is not at the left.
  expect((await misplaced(page)).filter((found) => found.startsWith('a word'))).toEqual([]);
  const starts = await page.evaluate<number[]>(`(() => {
    const range = document.createRange();
    return [...document.querySelectorAll('article :is([data-line], code > [data-part])')].map((part) => {
      const text = document.createTreeWalker(part, NodeFilter.SHOW_TEXT).nextNode();
      range.setStart(text, 0);
      range.setEnd(text, 1);
      return range.getBoundingClientRect().left - part.getBoundingClientRect().left;
    });
  })()`);
  expect(starts).toHaveLength(5);
  expect(Math.max(...starts)).toBeLessThan(20);
});

test('a mark stands beside a line that is wrapped, and beside no other one', async () => {
  const yaml = `a:\n\n  b: ${'value '.repeat(40)}\n\tc: 1\n\n${'d'.repeat(150)}\n  e: 2`;
  const diff = yaml.replaceAll(/^/gm, '+');
  const fences = [yaml, diff].map((text, at) => `\`\`\`${at ? 'diff' : 'yaml'}\n${text}\n\`\`\``);
  const page = await open({
    question: 'Right?',
    form: approval,
    messages: [yaml, `@@ -1 +1 @@\n${diff}`, `Formatted:\n\n${fences.join('\n\n')}`].map((content) => ({
      role: 'user',
      content,
    })),
  });
  await page.getByRole('button', { name: 'As written' }).last().click();
  await page.locator('[data-kind=code] [data-wraps] span[style]').first().waitFor();
  for (const size of [
    { width: 360, height: 640 },
    { width: 1440, height: 900 },
  ]) {
    await page.setViewportSize(size);
    // Where a line begins, or is empty, the text covers the place of the mark.
    const lines = await page.evaluate<{ covered: number; wrapped: number; written: number }[]>(
      `[...document.querySelectorAll('article [data-wraps]')].map((part) => {
        const { paddingLeft, backgroundPositionX } = getComputedStyle(part);
        const mark = part.getBoundingClientRect().left + parseFloat(paddingLeft) + parseFloat(backgroundPositionX);
        const rects = [...part.firstElementChild.getClientRects()];
        const isCovered = ({ left, right }) => left <= mark && mark + 1 <= right;
        return {
          covered: rects.filter(isCovered).length,
          wrapped: rects.filter((rect) => !isCovered(rect)).length,
          written: part.textContent.replace(/\\n$/, '').split('\\n').length,
        };
      })`,
    );
    expect(lines.length).toBeGreaterThan(5);
    for (const { covered, written } of lines) expect(covered).toBe(written);
    expect(lines.filter(({ wrapped }) => wrapped > 0)).toHaveLength(4);
  }
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    // The text has the colour of what it stands on.
    const colours = await page.evaluate<string[][]>(
      `[...document.querySelectorAll('article [data-line]')].map((part) =>
        [part, part.firstElementChild].map((one) => getComputedStyle(one).backgroundColor))`,
    );
    for (const [below, text] of colours) expect(text).toBe(below);
  }
  await page.emulateMedia({ colorScheme: null });
});

const table = exactTexts.table ?? '';

test('a table that does not fit becomes a list of titles and values, without the press of a key', async () => {
  const page = await open({ question: 'Which?', messages: [{ role: 'assistant', content: table }] });
  const shown = page.locator('article table');
  await shown.waitFor();
  for (const { width, height } of sizes) {
    await page.setViewportSize({ width, height });
    const isStacked = async () => (await shown.getAttribute('data-stacked')) !== null;
    await eventually(`the table at ${width} px`, async () => (await isStacked()) === width < 1440);
    for (const value of ['Risk', 'high: Black Friday is in two days', 'surplus'])
      expect(await shown.getByText(value, { exact: true }).first().isVisible()).toBe(true);
  }
  // A cell has its title and one value: the parts of `a|b` do not stand in two columns.
  const cells = await shown
    .locator('td')
    .evaluateAll((all) => all.map(({ childNodes }) => childNodes.length));
  expect(new Set(cells)).toEqual(new Set([1]));
});

test('a diff is coloured at any length, its file stays named, and its files can be folded', async () => {
  const page = await open({
    question: 'Deploy?',
    form: approval,
    messages: [{ role: 'user', content: longText(exactTexts.diff ?? '') }],
  });
  await page.setViewportSize({ width: 390, height: 844 });
  const files = page.locator('article details');
  await files.first().waitFor();
  expect(await files.count()).toBeGreaterThan(100);
  expect(await page.locator('article details:not([open])').count()).toBe(0);
  const colour = (kind: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('[data-line=${kind}]')).backgroundColor`);
  expect(await colour('added')).not.toBe(await colour('removed'));
  expect(await colour('added')).not.toBe(await colour('same'));
  const header = files.first().locator('summary');
  // In the middle of a file, its name is at the top of the pane.
  await page.setViewportSize({ width: 390, height: 400 });
  await eventually('the name stays', () =>
    page.evaluate<boolean>(`(() => {
      const file = document.querySelector('article details');
      file.querySelector('[data-line=removed]').scrollIntoView({ block: 'center' });
      let scroller = file.parentElement;
      while (!/auto|scroll/.test(getComputedStyle(scroller).overflowY)) scroller = scroller.parentElement;
      const [top, name] = [scroller, file.querySelector('summary')].map((one) => one.getBoundingClientRect().top);
      return file.getBoundingClientRect().top < top - 20 && Math.abs(name - top) < 2;
    })()`),
  );
  await header.click();
  expect(await files.first().locator('[data-line]').first().isVisible()).toBe(false);
  await header.click();
  expect(await files.first().locator('[data-line]').first().isVisible()).toBe(true);
});

test('a text file can be looked at in the page, on a phone too', async () => {
  const conversation = await agent.relay.ask({
    question: 'Is this right?',
    files: [
      { name: 'change.patch', mediaType: 'text/x-patch', bytes: new TextEncoder().encode(exactTexts.diff) },
      {
        name: 'values.yaml',
        mediaType: 'application/octet-stream',
        bytes: new TextEncoder().encode(exactTexts.yaml),
      },
      { name: 'core.bin', mediaType: 'text/plain', bytes: new Uint8Array([0xff, 0, 1]) },
    ],
  });
  const page = await device.open(`/requests/${conversation.requestId}`);
  await page.setViewportSize({ width: 390, height: 844 });
  await button(page, 'Open').click();
  await makeExpertKey(page);
  // The files follow once the agent has the keys.
  await page.getByText('The agent is sending').waitFor();
  await conversation.refresh();
  await button(page, 'Show change.patch').click();
  await page.locator('[data-line=removed]').first().waitFor();
  await button(page, 'Show values.yaml').click();
  const shown = page.getByRole('region', { name: 'values.yaml' }).locator('[data-written]');
  expect(await shown.textContent()).toBe(exactTexts.yaml);
  await button(page, 'Hide values.yaml').click();
  await shown.waitFor({ state: 'detached' });
  expect(await button(page, 'Show core.bin').count()).toBe(0);
  expect(device.problems).toEqual([]);
});
