import type { Form } from '@expert-relay/sdk/forms';
import { eventually } from '@expert-relay/testkit';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { makeExpertKey } from './setup/make-expert-key.ts';
import { button, type Device, newUser, type TestAgent } from './setup/open-product.ts';
import { untilStored } from './setup/read-stored-keys.ts';
import { decide } from './setup/sample-forms.ts';
import { sendHeld } from './setup/send-held.ts';
import { useProduct } from './setup/use-product.ts';

/*
 * A press changes what the reply area shows, and the next press of the same hand comes before the expert has seen it. It must not
 * decide, send or go on, wherever it falls.
 */

const product = useProduct();
const approval: Form = { type: 'object', properties: {} };
const answerForm = JSON.stringify(approval);

const devices: [string, BrowserContextOptions][] = [
  ['a mouse', { viewport: { width: 1440, height: 900 } }],
  ['a finger', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
];

/** A browser profile that several pairs use, each in a tab of its own. */
interface Lane {
  readonly device: Device;
  readonly agent: TestAgent;
  hasKey: boolean;
}
type Opened = { readonly lane: Lane; readonly page: Page };

const box = (page: Page) => page.getByRole('textbox', { name: 'Answer' });
const enabled = (page: Page, name: string) => button(page, name).and(page.locator(':not([aria-disabled])'));

const ask = (agent: TestAgent, question: string, more = {}) =>
  agent.askPlainly({ question, plaintext: question, ...more });

/** Opens the newest of two requests. The older one has been read before, so that its buttons act at once. */
async function openFirst({ lane: { agent }, page }: Opened, next: object, first: object, draft = '') {
  const older = await ask(agent, 'Restart web-2?', next);
  const newer = await ask(agent, 'Which region?', first);
  await page.goto(`/dashboard/requests/${older.requestId}`);
  if ('answerForm' in next) await enabled(page, 'Decline').waitFor();
  else await box(page).fill(draft);
  if (draft) {
    await enabled(page, 'Send').waitFor();
    await untilStored(page, draft);
  }
  // The list has the newer one: then it is the next one that waits.
  await page.locator(`[data-request="${newer.requestId}"]`).waitFor({ state: 'attached' });
  await page.evaluate(`history.pushState(null, '', '/dashboard/requests/${newer.requestId}')`);
  await ('answerForm' in first ? enabled(page, 'Decline') : box(page)).waitFor();
}

async function pickUp({ lane, page }: Opened, form?: Form) {
  const { agent } = lane;
  await ask(agent, 'Restart web-2?');
  const conversation = await agent.relay.ask({ question: 'May I?', ...(form && { form }) });
  await page.goto(`/dashboard/requests/${conversation.requestId}`);
  await enabled(page, 'Answer').click();
  if (!lane.hasKey) await makeExpertKey(page);
  lane.hasKey = true;
  return conversation;
}

type Pair = [string, string, (opened: Opened) => Promise<unknown>];
const nameOf = (device: string, [first, second]: Pair) => `${device}: ${first}, ${second}`;

/** The button that is pressed, the one that must not take the next press, and how to come there. */
const pairs: Pair[] = [
  ...['Approve', 'Decline'].map(
    (name): Pair => [
      'Send and next',
      name,
      async (opened) => {
        await openFirst(opened, { answerForm }, {});
        await box(opened.page).fill('eu-west-1');
      },
    ],
  ),
  ['Next request', 'Approve', (opened) => openFirst(opened, { answerForm }, {})],
  ...['Send', 'Send and next'].map(
    (name): Pair => ['Next request', name, (opened) => openFirst(opened, {}, {}, 'Half a sentence')],
  ),
  ['Approve', 'Next request', (opened) => openFirst(opened, {}, { answerForm })],
  ['Decline', 'Next request', (opened) => openFirst(opened, {}, { answerForm })],
  [
    'Continue your message',
    'Send',
    async (opened) => {
      await openFirst(opened, {}, { answerForm });
      await button(opened.page, 'Write a message').click();
      await box(opened.page).fill('Half a sentence');
      await enabled(opened.page, 'Send').waitFor();
      await button(opened.page, 'Back to the form').click();
      await enabled(opened.page, 'Decline').waitFor();
    },
  ],
  [
    'End it now',
    'Next request',
    async (opened) => {
      await openFirst(opened, {}, {});
      await button(opened.page, 'End request').click();
    },
  ],
  [
    'Change it',
    'Send',
    async (opened) => {
      const conversation = await pickUp(opened);
      const { page } = opened;
      await box(page).waitFor();
      await sendHeld(page, conversation, 'Change it');
      await enabled(page, 'Send anyway').waitFor();
    },
  ],
  [
    'Decide again',
    'Decline',
    async (opened) => {
      await pickUp(opened, approval);
      const { page } = opened;
      await page.route('**/messages', (route) => route.fulfill({ status: 503, json: {} }));
      await decide(page, 'Approve');
      await page.locator('[data-delivery]').waitFor();
      await page.reload();
      await page.unroute('**/messages');
      await enabled(page, 'Decide again').waitFor();
    },
  ],
];

/** What a press on a button of the reply area changes. */
const stateOf = (page: Page) =>
  page.evaluate<string>(
    `[location.pathname, document.querySelector('textarea')?.value, document.querySelectorAll('[data-form]').length].join()`,
  );

/** Presses `first`, and then what stands there: `second`. */
async function checkPair([first, second, open]: Pair, lane: Lane, hasTouch: boolean): Promise<void> {
  await using page = await lane.device.newTab();
  // The clock is that of the profile.
  await page.clock.resume();
  await open({ lane, page });

  async function press(name: string): Promise<void> {
    const { x = 0, y = 0, width = 0, height = 0 } = (await anyButton(page, name).boundingBox()) ?? {};
    const point = [x + width / 2, y + height / 2] as const;
    await (hasTouch ? page.touchscreen.tap(...point) : page.mouse.click(...point));
  }
  /** A press of the keyboard, and one of a screen reader, which clicks the element. */
  async function pressWithout(name: string): Promise<void> {
    await anyButton(page, name).focus();
    await page.keyboard.press('Enter');
    await anyButton(page, name).dispatchEvent('click');
  }
  await enabled(page, first).waitFor();
  const begun = page.url();
  await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 10_000);
  await press(first);
  await eventually(`"${second}" appears`, async () => {
    const hasChanged = page.url() !== begun || !(await anyButton(page, first).isVisible());
    if (hasChanged && (await anyButton(page, second).isVisible())) return true;
    await page.clock.runFor(10);
    return false;
  });
  const before = await stateOf(page);
  const isAnnounced = await isDisabled(page, second);
  for (const gapMs of [120, 250, 400]) {
    await page.clock.runFor(gapMs);
    await press(second);
    expect(await stateOf(page)).toBe(before);
  }
  await pressWithout(second);
  expect(await stateOf(page)).toBe(before);
  // It keeps the focus, and what is announced of it does not change when it takes presses.
  expect(await anyButton(page, second).evaluate((element) => element.matches(':focus'))).toBe(true);
  const wasDisabled = await isDisabled(page, second);
  await page.clock.runFor(600);
  expect([isAnnounced, wasDisabled]).toEqual([
    await isDisabled(page, second),
    await isDisabled(page, second),
  ]);
  await press(second);
  await eventually('the press is taken', async () => (await stateOf(page)) !== before);
  expect(lane.device.problems).toEqual([]);
}

const anyButton = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const isDisabled = async (page: Page, name: string) =>
  (await anyButton(page, name).getAttribute('aria-disabled')) === 'true';

/** The pairs mostly wait, until a text counts as shown and a button takes presses. So some are checked at the same time. */
const lanesOfDevice = 2;
const checks = new Map<string, Promise<void>>();
const lanes: Promise<Lane>[] = [];

beforeAll(() => {
  for (const [name, options] of devices) {
    for (let number = 0; number < lanesOfDevice; number += 1) {
      const lane = openLane(options);
      lanes.push(lane);
      let last = lane.then(() => {});
      for (const pair of pairs.filter((_, at) => at % lanesOfDevice === number)) {
        const check = last.then(async () => checkPair(pair, await lane, options.hasTouch === true));
        checks.set(nameOf(name, pair), check);
        last = check.catch(() => {});
      }
    }
  }
});
afterAll(async () => {
  for (const lane of lanes) {
    const { device, agent } = await lane;
    await agent[Symbol.asyncDispose]();
    await device[Symbol.asyncDispose]();
  }
});

async function openLane(options: BrowserContextOptions): Promise<Lane> {
  const device = await product.signIn(newUser(), options);
  await device.page.close();
  await device.context.clock.install();
  return { device, agent: await device.newAgent(), hasKey: false };
}

describe.each(devices)('with %s', (device) => {
  test.each(pairs)('after "%s", "%s" takes no press that was meant for it', async (...pair) => {
    await checks.get(nameOf(device, pair));
  });
});

test('a key that is held down goes on once', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const { page } = device;
  await ask(agent, 'Restart web-1?');
  await openFirst({ lane: { device, agent, hasKey: false }, page }, {}, {});
  for (const _ of [1, 2, 3]) await page.keyboard.down('n');
  await page.keyboard.up('n');
  await page.getByRole('heading', { name: 'build agent' }).waitFor();
  expect((await urlsOf(page)).indexOf(new URL(page.url()).pathname)).toBe(1);
});

const urlsOf = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('[data-request]')].map((row) => row.pathname)`);
