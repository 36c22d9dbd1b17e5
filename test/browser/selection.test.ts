import { eventually } from '@expert-relay/testkit';
import { expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { checkAccessibility } from './setup/check-accessibility.ts';
import { button, type Device, newUser, type TestAgent } from './setup/open-product.ts';
import { untilAnnounced } from './setup/until-announced.ts';
import { useProduct } from './setup/use-product.ts';

/* Several rows are selected with the mouse, the keyboard or a finger, and ended, snoozed or moved to Answered. */

const product = useProduct();

const row = (page: Page, question: string): Locator =>
  page.locator('[data-request]').filter({ hasText: question });
const bar = (page: Page): Locator => page.getByRole('group', { name: 'Selection' });
const checkbox = (page: Page, question: string): Locator =>
  page.getByRole('listitem').filter({ hasText: question }).getByRole('checkbox');

const ask = (agent: TestAgent, question: string, more = {}) =>
  agent.askPlainly({ question, plaintext: question, ...more });

/** Signs an expert in who has these requests, the last one first in the list. */
async function openInbox(questions: readonly string[], options = {}) {
  const device = await product.signIn(newUser(), options);
  const agent = await device.newAgent();
  const asked = new Map<string, { requestId: string; refCode: string }>();
  for (const question of questions) asked.set(question, await ask(agent, question));
  const page = await device.open();
  for (const question of questions) await row(page, question).filter({ hasText: 'build agent' }).waitFor();
  const idOf = (question: string) => asked.get(question)?.requestId ?? '';
  const stateOf = (question: string) =>
    device.call<{ status: string }>('GET', `/api/requests/${idOf(question)}`);
  return { device, agent, page, asked, idOf, stateOf };
}

async function untilSelected(page: Page, questions: readonly string[]): Promise<void> {
  await eventually(`${questions} are selected`, async () => {
    const selected = await page.locator('li:has(:checked)').allInnerTexts();
    return selected.length === questions.length && questions.every((one) => selected.join().includes(one));
  });
  if (questions.length > 0) await bar(page).getByText(`${questions.length} selected`).waitFor();
}

test('with the mouse, rows are selected one by one and with Shift, and ended after one question', async () => {
  const { device, page, stateOf } = await openInbox(['One?', 'Two?', 'Three?', 'Four?', 'Five?']);
  await row(page, 'Five?').hover();
  await checkbox(page, 'Five?').click();
  await untilSelected(page, ['Five?']);
  // A browser would open another window.
  await row(page, 'Three?').click({ modifiers: ['Shift'] });
  await untilSelected(page, ['Five?', 'Four?', 'Three?']);
  await checkbox(page, 'One?').click({ modifiers: ['Shift'] });
  await untilSelected(page, ['Five?', 'Four?', 'Three?', 'Two?', 'One?']);
  await row(page, 'Four?').click({ modifiers: ['Shift'] });
  await untilSelected(page, ['Five?', 'Four?']);
  expect(device.context.pages()).toHaveLength(1);
  expect(await checkAccessibility(page)).toEqual([]);
  // Other rows are opened as before.
  await row(page, 'Two?').click();
  await page.getByRole('textbox', { name: 'Answer' }).waitFor();
  await untilSelected(page, ['Five?', 'Four?']);

  await button(page, 'End request').click();
  await page.getByRole('region', { name: 'End 2 requests?' }).waitFor();
  expect(await checkAccessibility(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await untilSelected(page, ['Five?', 'Four?']);
  expect((await stateOf('Five?')).status).toBe('pending');
  await button(page, 'End request').click();
  await button(page, 'End all 2 now').click();
  await untilAnnounced(page, '2 ended.');
  for (const question of ['Five?', 'Four?']) {
    expect((await stateOf(question)).status).toBe('closed');
    await row(page, question).waitFor({ state: 'detached' });
  }
  expect((await stateOf('Three?')).status).toBe('pending');
  await bar(page).waitFor({ state: 'detached' });
  expect(device.problems).toEqual([]);
  await device[Symbol.asyncDispose]();
});

test('with the keyboard, x and Shift with arrows select rows, Escape ends it, and all are snoozed', async () => {
  const { device, page } = await openInbox(['One?', 'Two?', 'Three?', 'Four?']);
  await row(page, 'Four?').focus();
  await page.keyboard.press('x');
  await untilSelected(page, ['Four?']);
  await untilAnnounced(page, '1 selected');
  for (const _ of [1, 2]) await page.keyboard.press('Shift+ArrowDown');
  await untilSelected(page, ['Four?', 'Three?', 'Two?']);
  await untilAnnounced(page, '3 selected');
  await page.keyboard.press('Shift+ArrowUp');
  await untilSelected(page, ['Four?', 'Three?']);
  expect(await page.evaluate('document.activeElement.innerText')).toContain('Three?');
  // The checkbox of the row is the next stop of the Tab key.
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await untilSelected(page, ['Four?']);
  await page.keyboard.press('Escape');
  await untilSelected(page, []);
  await bar(page).waitFor({ state: 'detached' });

  // The current request is selected, too.
  await row(page, 'One?').click();
  await page.getByRole('heading', { level: 1, name: 'build agent' }).waitFor();
  await page.keyboard.press('x');
  await page.keyboard.press('k');
  await page.keyboard.press('x');
  await untilSelected(page, ['One?', 'Two?']);
  await bar(page).getByRole('button', { name: 'Snooze' }).click();
  const panel = page.getByRole('group', { name: 'Snooze 2 requests' });
  await panel.waitFor();
  expect(await checkAccessibility(page)).toEqual([]);
  // Escape in a panel closes it, and leaves the selection.
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  await untilSelected(page, ['One?', 'Two?']);
  await bar(page).getByRole('button', { name: 'Snooze' }).click();
  await button(page, 'Until the agent writes').click();
  await untilAnnounced(page, '2 snoozed.');
  for (const question of ['One?', 'Two?']) await row(page, question).getByText('Snoozed').waitFor();
  expect(await row(page, 'Three?').getByText('Snoozed').count()).toBe(0);
  expect(device.problems).toEqual([]);
  await device[Symbol.asyncDispose]();
});

test('with a finger, Select shows the checkboxes, and each takes 44 px', async () => {
  const phone = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true };
  const { device, page } = await openInbox(['One?', 'Two?', 'Three?', 'Four?'], phone);
  // A tap in the margin opens a request.
  expect(await checkbox(page, 'One?').count()).toBe(0);
  await page.getByRole('button', { name: 'Select' }).tap();
  await bar(page).getByText('Nothing is selected.').waitFor();
  const label = page.getByRole('listitem').filter({ hasText: 'Two?' }).locator('label');
  expect((await label.boundingBox())?.width).toBeGreaterThanOrEqual(44);
  await label.tap();
  await checkbox(page, 'Three?').tap();
  await untilSelected(page, ['Two?', 'Three?']);
  expect(await checkAccessibility(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  await bar(page).getByRole('button', { name: 'End request' }).tap();
  await page.getByRole('button', { name: 'End all 2 now' }).tap();
  await row(page, 'Two?').waitFor({ state: 'detached' });
  await row(page, 'Three?').waitFor({ state: 'detached' });
  await row(page, 'One?').tap();
  await page.getByRole('link', { name: 'Back to the inbox' }).waitFor();
  expect(device.problems).toEqual([]);
  await device[Symbol.asyncDispose]();
});

test('a selection lasts while the list changes, and rows that leave the list leave it', async () => {
  const { device, agent, page, idOf } = await openInbox(['One?', 'Two?', 'Three?', 'Four?']);
  for (const question of ['One?', 'Three?', 'Four?']) await checkbox(page, question).check();
  await ask(agent, 'Five?');
  await row(page, 'Five?').filter({ hasText: 'build agent' }).waitFor();
  await untilSelected(page, ['One?', 'Three?', 'Four?']);
  await device.call('POST', `/api/requests/${idOf('Three?')}/close`);
  await row(page, 'Three?').waitFor({ state: 'detached' });
  await untilSelected(page, ['One?', 'Four?']);
  await page.getByRole('searchbox').fill('Four');
  await row(page, 'One?').waitFor({ state: 'detached' });
  // Another list begins without a selection.
  await untilSelected(page, []);
  await device[Symbol.asyncDispose]();
});

test('what an action does not apply to, and what fails, is listed with the reason', async () => {
  const device: Device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const answerAndThank = async (question: string, more = {}) => {
    const asked = await ask(agent, question, more);
    await device.call('POST', `/api/requests/${asked.requestId}/messages`, { plaintext: 'Yes.' });
    await agent.sendPlainly(asked.requestId, `${question} Thanks, done!`);
    return asked;
  };
  const open = await ask(agent, 'Open?');
  const form = await answerAndThank('Form?', { answerForm: '{"type":"object","properties":{}}' });
  const fails = await answerAndThank('Fails?');
  const written = await answerAndThank('Written?');
  await answerAndThank('Thanked?');
  const page = await device.open();
  const all = ['Open?', 'Form?', 'Fails?', 'Written?', 'Thanked?'];
  for (const question of all) await checkbox(page, question).check();

  let failures = 0;
  await page.route(/\/settle$/, async (route) => {
    const url = route.request().url();
    if (url.includes(fails.requestId) && failures++ === 0) return route.abort('connectionreset');
    if (url.includes(written.requestId)) await agent.sendPlainly(written.requestId, 'Written? Really?');
    await route.continue();
  });
  await bar(page).getByRole('button', { name: 'Nothing to answer' }).click();
  const result = ({ refCode }: { refCode: string }) =>
    bar(page).getByRole('listitem').filter({ hasText: refCode });
  await result(open).getByText('You have not answered it yet.').waitFor();
  await result(form).getByText('Its form waits for your decision.').waitFor();
  await result(fails).getByText('The relay cannot be reached.').waitFor();
  await result(written).getByText('The agent has written meanwhile.').waitFor();
  await bar(page).getByText('1 moved to Answered. 4 not moved to Answered. 4 selected').waitFor();
  await row(page, 'Thanked?').waitFor({ state: 'detached' });
  expect(await checkAccessibility(page)).toEqual([]);
  expect(await result(open).getByRole('button').count()).toBe(0);

  await page.unroute(/\/settle$/);
  await row(page, 'Written? Really?').waitFor();
  for (const one of [fails, written]) {
    await button(page, `Try again: ${one.refCode}`).click();
    await result(one).waitFor({ state: 'detached' });
  }
  await untilSelected(page, ['Open?', 'Form?']);
  await button(page, 'Clear').click();
  await bar(page).waitFor({ state: 'detached' });
  await device[Symbol.asyncDispose]();
});

test('a call that the rate limit refuses is made again when it may be', async () => {
  const { device, page, stateOf } = await openInbox(['One?', 'Two?', 'Three?', 'Four?']);
  for (const question of ['One?', 'Two?', 'Three?']) await checkbox(page, question).check();
  let refused = 0;
  await page.route(/\/close$/, (route) => {
    if (refused++ !== 1) return route.continue();
    return route.fulfill({ status: 429, headers: { 'retry-after': '1' }, json: { error: 'rate_limited' } });
  });
  await bar(page).getByRole('button', { name: 'End request' }).click();
  await button(page, 'End all 3 now').click();
  await untilAnnounced(page, '3 ended.');
  expect(refused).toBe(4);
  for (const question of ['One?', 'Two?', 'Three?']) expect((await stateOf(question)).status).toBe('closed');
  await device[Symbol.asyncDispose]();
});

test('an action that is stopped ends with the request that it is at, and runs for as long as that takes', async () => {
  const { device, page, stateOf } = await openInbox(['One?', 'Two?', 'Three?', 'Four?']);
  for (const question of ['One?', 'Two?', 'Three?']) await checkbox(page, question).check();
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let calls = 0;
  await page.route(/\/close$/, (route) => {
    calls += 1;
    return released.then(() => route.continue());
  });
  await bar(page).getByRole('button', { name: 'End request' }).click();
  await button(page, 'End all 3 now').click();
  await button(page, 'Stop').click();
  await bar(page).getByText('Ending 1 of 1…').waitFor();
  expect(await button(page, 'Clear').count()).toBe(0);
  release();
  await bar(page).getByText('2 selected').waitFor();
  await button(page, 'Clear').waitFor();
  expect(calls).toBe(1);
  const states = await Promise.all(['One?', 'Two?', 'Three?'].map(stateOf));
  expect(states.filter(({ status }) => status === 'closed')).toHaveLength(1);
  await device[Symbol.asyncDispose]();
});
