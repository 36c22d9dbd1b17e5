import { setTimeout as pause } from 'node:timers/promises';
import type { Form } from '@expert-relay/sdk/forms';
import { eventually } from '@expert-relay/testkit';
import { describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { chooseAction } from './setup/choose-action.ts';
import { button, type Device, newUser, type TestAgent } from './setup/open-product.ts';
import { readStoredKeys } from './setup/read-stored-keys.ts';
import { useProduct } from './setup/use-product.ts';

/*
 * A press means what stood there. In the first half second it was meant for what stood there before, and is dropped; later it is
 * taken once, for the texts that are displayed, or the page says why it was not.
 */

const product = useProduct();
const approval: Form = { type: 'object', properties: {} };
const box = (page: Page) => page.getByRole('textbox', { name: 'Answer' });
const says = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
const answerForm = JSON.stringify(approval);
const ask = (agent: TestAgent, question: string, more = {}) =>
  agent.askPlainly({ question, plaintext: question, ...more });

/** What the expert has answered, as the relay has it. */
async function answersTo(agent: TestAgent, requestId: string): Promise<string[]> {
  const url = `${product.relay.gatewayUrl}/api/v1/messages/${requestId}`;
  const read = await fetch(url, { headers: { 'x-api-key': agent.apiKey } });
  const { messages } = (await read.json()) as { messages: { role: string; plaintext: string }[] };
  return messages.filter(({ role }) => role === 'provider').map(({ plaintext }) => plaintext);
}

/** Opens a request while the clock stands still, so that a test decides when a press comes after its button has appeared. */
async function openStopped(device: Device, agent: TestAgent, requestId: string, name: string): Promise<Page> {
  await device.page.clock.install();
  const other = await ask(agent, 'Another one?');
  const page = await device.open(`/requests/${other.requestId}`);
  await box(page).waitFor();
  await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 10_000);
  await page.evaluate(`history.pushState(null, '', '/dashboard/requests/${requestId}')`);
  await untilAppears(page, name);
  return page;
}

const untilAppears = (page: Page, name: string) =>
  eventually(`"${name}" appears`, async () => {
    if (await anyButton(page, name).isVisible()) return true;
    await page.clock.runFor(10);
    return false;
  });

const anyButton = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

async function tap(page: Page, name: string): Promise<void> {
  const { x = 0, y = 0, width = 0, height = 0 } = (await anyButton(page, name).boundingBox()) ?? {};
  await page.mouse.click(x + width / 2, y + height / 2);
}

/** What a press on a button of the reply area changes. */
const stateOf = (page: Page) =>
  page.evaluate<string>(
    `[location.pathname, document.querySelector('textarea')?.value, document.querySelectorAll('[data-form]').length].join()`,
  );

test('a thumb that presses each quarter of a second approves once', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const { requestId } = await ask(agent, 'May I?', { answerForm });
  const page = await openStopped(device, agent, requestId, 'Approve');
  for (let press = 0; press < 32; press += 1) {
    await page.clock.runFor(250);
    if (!(await anyButton(page, 'Approve').isVisible())) break;
    await tap(page, 'Approve');
    if (press < 2) await says(page, press === 0 ? 'Press again' : 'Sending in a moment');
  }
  await eventually('it is approved', async () => {
    await page.clock.runFor(500);
    return (await answersTo(agent, requestId)).length > 0;
  });
  expect(await answersTo(agent, requestId)).toEqual(['Approved.']);
  expect(device.problems).toEqual([]);
});

test('a double click on a grey button leads to the end, and sends nothing', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const { requestId } = await ask(agent, `${'A line.\n\n'.repeat(60)}May I?`, { answerForm });
  const page = await openStopped(device, agent, requestId, 'Approve');
  await page.clock.runFor(600);
  await tap(page, 'Approve');
  await eventually('the end is in view', async () => {
    await page.clock.runFor(10);
    return (await anyButton(page, 'Approve').getAttribute('aria-disabled')) === null;
  });
  await tap(page, 'Approve');
  await says(page, 'Read this first, then press again.');
  await page.clock.runFor(10_000);
  expect([await page.locator('[data-form]').count(), await answersTo(agent, requestId)]).toEqual([1, []]);
  // Now it was in view for a second.
  await eventually('it is approved', async () => {
    if (await anyButton(page, 'Approve').isVisible()) await tap(page, 'Approve');
    await page.clock.runFor(500);
    return (await answersTo(agent, requestId)).length > 0;
  });
});

test('quick presses lead through all that is not read yet, and then send', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const { requestId } = await ask(agent, `${'A line.\n\n'.repeat(30)}May I?`);
  for (let number = 1; number <= 4; number += 1)
    await agent.sendPlainly(requestId, `${'A line.\n\n'.repeat(8)}Number ${number}`);
  const page = await openStopped(device, agent, requestId, 'Send');
  await page.clock.runFor(500);
  await page.locator('[data-message]').nth(3).waitFor();
  await box(page).fill('Yes.');
  for (let press = 0; press < 100; press += 1) {
    if ((await box(page).inputValue()) === '') break;
    await box(page).press('Control+Enter');
    await page.clock.runFor(250);
  }
  await eventually('the answer', async () => (await answersTo(agent, requestId)).length > 0);
  expect(await answersTo(agent, requestId)).toEqual(['Yes.']);
});

describe('a decision is sent after four seconds, or', () => {
  type Then = readonly [
    string,
    (page: Page, agent: TestAgent, requestId: string) => Promise<unknown>,
    string | undefined,
  ];
  const ways: Then[] = [
    ['never after Undo', (page) => page.getByRole('button', { name: 'Undo' }).click(), ''],
    ['never after Escape', (page) => page.keyboard.press('Escape'), ''],
    [
      'never if the agent writes',
      (_page, agent, requestId) => agent.sendPlainly(requestId, 'WAIT'),
      'the agent wrote meanwhile',
    ],
    [
      'at once if the page is left',
      async (page) => {
        // What is left before the SDK has it ready is given back. The four seconds nearly stand still meanwhile.
        const isSealed = async () => (await readStoredKeys(page)).some((key) => key.includes('sealed:'));
        await eventually('it is stored as it is sent', isSealed);
        for (let turn = 0; turn < 20; turn += 1) {
          await page.clock.runFor(50);
          await pause(100);
        }
        // Chromium itself waits half a second for what a page does in this event, which takes longer on a busy machine.
        await page.evaluate(`dispatchEvent(new Event('pagehide'))`);
        await page.goto('about:blank');
      },
      undefined,
    ],
  ];
  test.each(ways)('%s', async (_, change, why) => {
    await using device = await product.signIn(newUser());
    await using agent = await device.newAgent();
    const { requestId } = await ask(agent, 'May I?', { answerForm });
    const page = await openStopped(device, agent, requestId, 'Approve');
    await page.clock.runFor(1_500);
    await tap(page, 'Comment');
    await page.getByLabel('Comment').fill('Soon.');
    await tap(page, 'Approve');
    await untilAppears(page, 'Undo');
    // Undo takes no press that was meant for what stood there before.
    await page.clock.runFor(600);
    await change(page, agent, requestId);
    if (why === undefined) {
      await eventually('it is approved', async () => (await answersTo(agent, requestId)).length > 0);
      return expect(await answersTo(agent, requestId)).toEqual(['Approved.\nSoon.']);
    }
    await eventually('it is given back', async () => {
      await page.clock.runFor(50);
      return anyButton(page, 'Approve').isVisible();
    });
    if (why) await says(page, why);
    // The request was picked up, and nothing was written.
    else expect(await page.locator('[data-request][aria-current]').textContent()).not.toContain('started');
    expect(await page.getByLabel('Comment').inputValue()).toBe('Soon.');
    await page.clock.runFor(6_000);
    expect(await answersTo(agent, requestId)).toEqual([]);
    expect(device.problems).toEqual([]);
  });
});

test('with the keyboard, six requests are answered without a refused press', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const asked: string[] = [];
  for (let number = 1; number <= 7; number += 1)
    asked.unshift((await ask(agent, `Number ${number}?`)).requestId);
  const [newest = '', ...others] = asked;
  const page = await device.open(`/requests/${newest}`);
  await page.locator(`[data-request="${others.at(-1)}"]`).waitFor({ state: 'attached' });
  await page.keyboard.press('j');
  for (const requestId of others) {
    await page.waitForURL(`**/${requestId}`);
    await box(page).waitFor();
    await page.keyboard.press('r');
    await page.keyboard.type('Yes');
    await page.keyboard.press('Control+Shift+Enter');
    await eventually('the answer', async () => (await answersTo(agent, requestId)).length > 0);
  }
  for (const requestId of others) expect(await answersTo(agent, requestId)).toEqual(['Yes']);
  expect(device.problems).toEqual([]);
});

describe('a press that waits is dropped, and the page says why, when', () => {
  const ways: [string, string, (page: Page, agent: TestAgent, requestId: string) => Promise<unknown>][] = [
    ['the expert presses Escape', 'Taken back.', (page) => page.keyboard.press('Escape')],
    [
      'the text changes',
      'Not sent: what you wrote has changed.',
      (page) => box(page).pressSequentially(' Not yet.'),
    ],
    [
      'the agent writes',
      'Not sent: the agent wrote meanwhile.',
      (_page, agent, requestId) => agent.sendPlainly(requestId, 'WAIT'),
    ],
    [
      'the page is hidden',
      'Not sent: the page was hidden.',
      (page) =>
        page.evaluate(`for (const state of ['hidden', 'visible']) {
          Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
          document.dispatchEvent(new Event('visibilitychange'));
        }`),
    ],
    ['the expert leaves', 'you left it too soon.', (page) => page.goBack()],
  ];
  test.each(ways)('%s', async (_, sentence, change) => {
    await using device = await product.signIn(newUser());
    await using agent = await device.newAgent();
    const { requestId } = await ask(agent, 'May I?');
    const page = await openStopped(device, agent, requestId, 'Send');
    await page.clock.runFor(500);
    await box(page).fill('Yes.');
    await box(page).press('Control+Enter');
    await says(page, 'Sending in a moment. Escape takes it back.');
    await change(page, agent, requestId);
    await eventually('the page says why', async () => {
      await page.clock.runFor(50);
      return page.getByRole('status').filter({ hasText: sentence }).isVisible();
    });
    await page.clock.runFor(5_000);
    expect(await answersTo(agent, requestId)).toEqual([]);
    // The text is still there, and the next press sends it.
    if (!page.url().includes(requestId)) return;
    const text = await box(page).inputValue();
    expect(text).toMatch(/^Yes\./);
    await box(page).press('Control+Enter');
    await page.clock.resume();
    await eventually('the answer', async () => (await answersTo(agent, requestId)).length > 0);
    expect(await answersTo(agent, requestId)).toEqual([text]);
  });
});

/** Opens the newest of two requests, of which the older one has been read before: its buttons would act at once. */
async function openNewer(opened: Opened, older: object, newer: object, draft = '') {
  const { device, agent } = opened;
  const first = await ask(agent, 'Restart web-2?', older);
  const second = await ask(agent, 'Which region?', newer);
  const page = await device.open(`/requests/${first.requestId}`);
  await ('answerForm' in older ? button(page, 'Decline') : box(page)).waitFor();
  if (draft) await box(page).fill(draft);
  await page.locator(`[data-request="${second.requestId}"]`).waitFor({ state: 'attached' });
  await page.evaluate(`history.pushState(null, '', '/dashboard/requests/${second.requestId}')`);
  await button(page, 'answerForm' in newer ? 'Decline' : 'Send').waitFor();
}

interface Opened {
  readonly device: Device;
  readonly agent: TestAgent;
}
type Pair = [string, string, (opened: Opened) => Promise<unknown>];

/** The button that is pressed, the one that must not take the next press, and how to come there. */
const pairs: Pair[] = [
  [
    'Send and next',
    'Approve',
    async (opened) => {
      await openNewer(opened, { answerForm }, {});
      await box(opened.device.page).fill('eu-west-1');
    },
  ],
  ['Next request', 'Send', (opened) => openNewer(opened, {}, {}, 'Half a sentence')],
  ['Approve', 'Undo', (opened) => openNewer(opened, {}, { answerForm })],
  [
    'Continue your message',
    'Send',
    async (opened) => {
      await openNewer(opened, {}, { answerForm });
      const { page } = opened.device;
      await button(page, 'Write a message').click();
      await box(page).fill('Half a sentence');
      await button(page, 'Back to the form').click();
    },
  ],
  [
    'End it now',
    'Next request',
    async (opened) => {
      await openNewer(opened, {}, {});
      await chooseAction(opened.device.page, 'End request');
    },
  ],
];

test.each(pairs)('after "%s", "%s" takes no press that was meant for it', async (first, second, open) => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const { page } = device;
  await page.clock.install();
  await open({ device, agent });
  await button(page, first).and(page.locator(':not([aria-disabled])')).waitFor();
  await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 10_000);
  const begun = page.url();
  await tap(page, first);
  await eventually(`"${second}" stands there`, async () => {
    const hasChanged = page.url() !== begun || !(await anyButton(page, first).isVisible());
    if (hasChanged && (await anyButton(page, second).isVisible())) return true;
    await page.clock.runFor(10);
    return false;
  });
  if (first === 'Next request')
    await eventually('the draft is back', async () => (await box(page).inputValue()) === 'Half a sentence');
  const before = await stateOf(page);
  // A press of the mouse, one of the keyboard, and one of a screen reader, which clicks the element.
  await tap(page, second);
  await page.clock.runFor(250);
  await anyButton(page, second).focus();
  await page.keyboard.press('Enter');
  await page.clock.runFor(200);
  await anyButton(page, second).dispatchEvent('click');
  await says(page, 'Press again');
  expect(await stateOf(page)).toBe(before);
  await page.clock.runFor(100);
  await tap(page, second);
  await eventually('the press is taken', async () => {
    await page.clock.runFor(10);
    return (await stateOf(page)) !== before;
  });
  expect(device.problems).toEqual([]);
});

test('a key that is held down goes on once', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const urls: string[] = [];
  for (const question of ['First?', 'Second?', 'Third?'])
    urls.unshift(`/dashboard/requests/${(await ask(agent, question)).requestId}`);
  const page = await device.open(urls[0]?.replace('/dashboard', ''));
  await page.locator(`[data-request="${urls[2]?.split('/').at(-1)}"]`).waitFor({ state: 'attached' });
  for (const _ of [1, 2, 3]) await page.keyboard.down('n');
  await page.keyboard.up('n');
  await page.getByRole('heading', { name: 'build agent' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(urls[1]);
});
