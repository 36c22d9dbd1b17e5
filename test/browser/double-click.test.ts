import type { Form } from '@expert-relay/sdk/forms';
import { eventually } from '@expert-relay/testkit';
import { describe, expect } from '@jest/globals';
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

type Opened = { readonly device: Device; readonly agent: TestAgent; readonly page: Page };

const box = (page: Page) => page.getByRole('textbox', { name: 'Answer' });
const enabled = (page: Page, name: string) => button(page, name).and(page.locator(':not([aria-disabled])'));

const ask = (agent: TestAgent, question: string, more = {}) =>
  agent.askPlainly({ question, plaintext: question, ...more });

/** Opens the newest of two requests. The older one has been read before, so that its buttons act at once. */
async function openFirst({ device, agent, page }: Opened, next: object, first: object, draft = '') {
  const older = await ask(agent, 'Restart web-2?', next);
  const newer = await ask(agent, 'Which region?', first);
  await device.open(`/requests/${older.requestId}`);
  if ('answerForm' in next) await enabled(page, 'Decline').waitFor();
  else await box(page).fill(draft);
  if (draft) {
    await enabled(page, 'Send').waitFor();
    await untilStored(page, draft);
  }
  await page.goto(`/dashboard/requests/${newer.requestId}`);
  await ('answerForm' in first ? enabled(page, 'Decline') : box(page)).waitFor();
}

async function pickUp({ device, agent, page }: Opened, form?: Form) {
  await ask(agent, 'Restart web-2?');
  const conversation = await agent.relay.ask({ question: 'May I?', ...(form && { form }) });
  await device.open(`/requests/${conversation.requestId}`);
  await button(page, 'Answer').click();
  await makeExpertKey(page);
  return conversation;
}

/** The button that is pressed, the one that must not take the next press, and how to come there. */
const pairs: [string, string, (opened: Opened) => Promise<unknown>][] = [
  ...['Approve', 'Decline'].map((name): (typeof pairs)[number] => [
    'Send and next',
    name,
    async (opened) => {
      await openFirst(opened, { answerForm }, {});
      await box(opened.page).fill('eu-west-1');
    },
  ]),
  ['Next request', 'Approve', (opened) => openFirst(opened, { answerForm }, {})],
  ...['Send', 'Send and next'].map((name): (typeof pairs)[number] => [
    'Next request',
    name,
    (opened) => openFirst(opened, {}, {}, 'Half a sentence'),
  ]),
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

describe.each(devices)('with %s', (_, options) => {
  test.each(pairs)('after "%s", "%s" takes no press that was meant for it', async (first, second, open) => {
    await using device = await product.signIn(newUser(), options);
    await using agent = await device.newAgent();
    const { page } = device;
    await page.clock.install();
    await open({ device, agent, page });

    async function press(name: string): Promise<void> {
      const { x = 0, y = 0, width = 0, height = 0 } = (await button(page, name).boundingBox()) ?? {};
      const point = [x + width / 2, y + height / 2] as const;
      await (options.hasTouch ? page.touchscreen.tap(...point) : page.mouse.click(...point));
    }
    await enabled(page, first).waitFor();
    const begun = page.url();
    await page.clock.pauseAt(Date.now() + 60_000);
    await press(first);
    await eventually(`"${second}" appears`, async () => {
      const hasChanged = page.url() !== begun || !(await button(page, first).isVisible());
      if (hasChanged && (await button(page, second).isVisible())) return true;
      await page.clock.runFor(10);
      return false;
    });
    const before = await stateOf(page);
    for (const gapMs of [120, 250, 400]) {
      await page.clock.runFor(gapMs);
      await press(second);
      expect(await stateOf(page)).toBe(before);
    }
    await page.clock.runFor(600);
    await press(second);
    await eventually('the press is taken', async () => (await stateOf(page)) !== before);
    expect(device.problems).toEqual([]);
  });
});

test('a key that is held down goes on once', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const { page } = device;
  await ask(agent, 'Restart web-1?');
  await openFirst({ device, agent, page }, {}, {});
  for (const _ of [1, 2, 3]) await page.keyboard.down('n');
  await page.keyboard.up('n');
  await page.getByRole('heading', { name: 'build agent' }).waitFor();
  expect((await urlsOf(page)).indexOf(new URL(page.url()).pathname)).toBe(1);
});

const urlsOf = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('[data-request]')].map((row) => row.pathname)`);
