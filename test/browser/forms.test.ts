import type { Form } from '@expert-relay/sdk/forms';
import { eventually } from '@expert-relay/testkit';
import { describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { withExpertKey } from './setup/make-expert-key.ts';
import { button, type Device, newUser, type TestAgent } from './setup/open-product.ts';
import { pressDisabled } from './setup/press-disabled.ts';
import { pressOnceRead } from './setup/press-once-read.ts';
import { untilStored } from './setup/read-stored-keys.ts';
import { decide, everyContent, everyField, everyWord, fillIn } from './setup/sample-forms.ts';
import { sendByKeyboard } from './setup/send-by-keyboard.ts';
import { untilAnnounced } from './setup/until-announced.ts';
import { useProduct } from './setup/use-product.ts';

/* Forms and approvals: filled in, checked, decided about, and shown afterwards. */

const product = useProduct();
const approval: Form = { type: 'object', properties: {} };
const patiently = { timeoutMs: 120_000 };

/** Asks with a form, and opens the request up to the point where the expert decides. */
async function ask(
  { device, agent }: { device: Device; agent: TestAgent },
  form: Form,
  { encrypted = true, question = 'May I?' } = {},
) {
  if (encrypted) await withExpertKey(device);
  const conversation = await agent.relay.ask({
    question,
    form,
    ...(!encrypted && { encrypted, plaintext: question }),
  });
  const page = await open(device, conversation.requestId);
  const waitForDecision = async () => {
    const { answer: decision, ...others } = await conversation.waitForAnswer(patiently);
    return { ...others, decision };
  };
  return { conversation, page, waitForDecision };
}

async function open(device: Device, requestId: string): Promise<Page> {
  const page = await device.open(`/requests/${requestId}`);
  await button(page, 'Decline').waitFor();
  return page;
}

const wordsOf = async (page: Page) => (await page.getByRole('main').innerText()).replaceAll(/\s+/g, ' ');

describe.each([
  ['encrypted', true],
  ['plain', false],
])('in an %s conversation', (_, encrypted) => {
  test('every type of field is filled in, sent, and shown in words', async () => {
    await using device = await product.signIn(newUser());
    await using agent = await device.newAgent();
    const { page, waitForDecision, conversation } = await ask({ device, agent }, everyField, { encrypted });
    expect(await page.getByLabel('Pods').inputValue()).toBe('3');
    await fillIn(page);
    await decide(page, 'Approve');
    const { decision, text, seenYourLast } = await waitForDecision();
    expect(decision).toMatchObject({ action: 'accept', content: everyContent });
    expect(seenYourLast).toBe(encrypted ? true : undefined);
    if (!encrypted) for (const words of everyWord) expect(text.replaceAll(/\s+/g, ' ')).toContain(words);
    for (const again of [false, true]) {
      if (again) await page.reload();
      await page.getByText('Approved').first().waitFor();
      await page.getByText('Sent', { exact: true }).waitFor();
      // What shows a decision is loaded when there is one.
      await eventually('every field is shown in words', async () => {
        // Each chosen option is an item of a list.
        const shown = (await wordsOf(page)).replaceAll(/[:,]/g, '');
        return everyWord.every((words) => shown.includes(words.replaceAll(/[:,]/g, '')));
      });
      expect(await button(page, 'Approve').count()).toBe(0);
    }
    await page.goto('/dashboard/requests?filter=answered');
    await page.locator(`[data-request="${conversation.requestId}"]`).getByText('Form').waitFor();
    expect(device.problems).toEqual([]);
  });

  test('an approval is declined with a comment, with the keyboard alone', async () => {
    await using device = await product.signIn(newUser());
    await using agent = await device.newAgent();
    const { page, waitForDecision, conversation } = await ask({ device, agent }, approval, { encrypted });
    await page.locator(`[data-request="${conversation.requestId}"]`).getByText('Approval').waitFor();
    await button(page, 'Decline').and(page.locator(':not([aria-disabled])')).waitFor();
    // No single key decides: `r` opens the comment.
    for (const key of ['a', 'y', 'd', 'Enter', 'r']) await page.keyboard.press(key);
    await page.keyboard.type('Not on a Friday.');
    expect(await page.getByLabel('Comment').inputValue()).toBe('Not on a Friday.');
    // Nor do the keys that send a message.
    await page.keyboard.press('Control+Enter');
    await page.getByText('A comment goes with the decision').waitFor();
    for (const name of ['Approve', 'Decline']) {
      await page.keyboard.press('Tab');
      await button(page, name).and(page.locator(':focus')).waitFor();
    }
    expect(await page.getByLabel('Comment').inputValue()).toBe('Not on a Friday.');
    await page.keyboard.press('Enter');
    const { decision, text } = await waitForDecision();
    expect(decision?.action).toBe('decline');
    expect(encrypted ? text : decision?.comment).toBe('Not on a Friday.');
    await page.getByText('Declined').first().waitFor();
    // It also stands among the answers that are being sent until the call for it returns.
    await eventually(
      'the comment is shown once',
      async () => (await page.getByText('Not on a Friday.').count()) === 1,
    );
    expect(device.problems).toEqual([]);
  });
});

test('fields are checked while they are filled in, and nothing is sent before all are valid', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const { page, waitForDecision } = await ask({ device, agent }, everyField, { encrypted: false });
  const problemOf = (label: string) =>
    page.locator(`[data-field]:has-text("${label}") p[role=status]`).last();
  // The first field that must be filled in gets the focus.
  await page.locator('[data-form] [data-end]').scrollIntoViewIfNeeded();
  await eventually('the press is taken', async () => {
    await pressDisabled(page, 'Approve');
    return page.getByText('4 fields need a change.').isVisible();
  });
  await problemOf('Region').getByText('This is required.').waitFor();
  expect(await page.evaluate('document.activeElement.closest("[data-field]").dataset.field')).toBe('region');
  // Two that are filled in one soon after the other.
  await page.getByLabel('Email').fill('bob');
  await page.getByLabel('Website').fill('none');
  await problemOf('Email').getByText('Give an email address').waitFor();
  await problemOf('Website').getByText('Give an address').waitFor();
  for (const [label = '', typed = '', sentence = ''] of [
    ['Email', 'ada', 'Give an email address, such as ada@example.com.'],
    ['Website', 'example', 'Give an address, such as https://example.com.'],
    ['Share', '2', 'At most 1.'],
    ['Share', '1,5', 'Give a number.'],
    ['Pods', '1.9999999999999999', 'Give a whole number.'],
    ['Pods', '1.5', 'Give a whole number.'],
    ['Short name', 'x', 'At least 2 characters.'],
    ['Short name', 'far too long', 'At most 8 characters.'],
  ]) {
    const field = page.getByLabel(label);
    await field.fill(typed);
    await problemOf(label).getByText(sentence, { exact: true }).waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    const about = await field.getAttribute('aria-describedby');
    expect(about?.split(' ').at(-1)).toBe(await problemOf(label).getAttribute('id'));
  }
  await page.getByLabel('Share').fill('0.30000000000000001');
  await page
    .locator('[data-field]:has-text("Share")')
    .getByText('It is sent as: 0.3', { exact: true })
    .waitFor();
  // What was typed is still there after a reload.
  await untilStored(page, 'far too long');
  await page.reload();
  expect(await page.getByLabel('Pods').inputValue()).toBe('1.5');
  await page.getByLabel('Short name').fill('blue');
  await fillIn(page);
  await decide(page, 'Approve');
  expect((await waitForDecision()).decision).toMatchObject({ content: everyContent });
});

test('of fifty options, a filter shows those that are wanted and those that are chosen', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const options = Array.from({ length: 50 }, (_, index) => `host-${index + 1}`);
  const form: Form = {
    type: 'object',
    properties: { hosts: { type: 'array', title: 'Hosts', items: { type: 'string', enum: options } } },
  };
  const { page, waitForDecision } = await ask({ device, agent }, form, { encrypted: false });
  // The question is the legend, and the title a remark. Nobody approves a choice.
  await page.getByRole('group', { name: 'May I?' }).getByText('Hosts', { exact: true }).waitFor();
  expect(await button(page, 'Approve').count()).toBe(0);
  const filter = page.getByRole('searchbox', { name: 'Filter the options of Hosts' });
  await page.getByText('50 options').waitFor();
  for (const host of ['host-42', 'host-7']) {
    await filter.fill(host);
    await page.getByLabel(host, { exact: true }).check();
  }
  await filter.fill('host-50');
  await page.getByText('3 of 50 options').waitFor();
  await decide(page, 'Send');
  expect((await waitForDecision()).decision).toMatchObject({ content: { hosts: ['host-7', 'host-42'] } });
  await page.getByText('Answered', { exact: true }).first().waitFor();
  expect(await page.locator('main dd').allInnerTexts()).toEqual(['host-7', 'host-42']);
});

test('labels are text, hidden characters are shown, and a form that cannot be read can be declined', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const form: Form = {
    type: 'object',
    properties: {
      a: {
        type: 'string',
        title: '<b>Yes</b>\u202eoN',
        description: '<img src=x>',
        oneOf: [
          { const: 'x', title: 'Keep\u200b it' },
          { const: 'y', title: '**no**' },
          { const: 'z', title: 'Go\non' },
        ],
      },
      b: { type: 'string', title: 'W'.repeat(200), default: 'safe\u202egpj.exe' },
    },
  };
  // An agent that uses the SDK cannot send such forms.
  async function askPlainly(answerForm: string): Promise<string> {
    const { requestId } = await agent.askPlainly({ question: 'May I?', plaintext: 'May I?', answerForm });
    return requestId;
  }
  const page = await open(device, await askPlainly(JSON.stringify(form)));
  await page.getByRole('group', { name: '<b>Yes</b><U+202E>oN' }).waitFor();
  await page.getByText('<img src=x>').waitFor();
  await page.getByLabel('Keep<U+200B> it').waitFor();
  await page.getByLabel('**no**').waitFor();
  await page.getByLabel('Go␊on').waitFor();
  await page.getByText('It has hidden characters: safe<U+202E>gpj.exe').waitFor();
  expect(await page.locator('main img, main [data-form] b').count()).toBe(0);

  const requestId = await askPlainly('{"type":"object","properties":{"a":{"type":"object"}}}');
  await open(device, requestId);
  await page.getByText('The agent sent a form that this page cannot show.').waitFor();
  expect(await button(page, 'Approve').count()).toBe(0);
  await decide(page, 'Decline');
  const url = `${product.relay.gatewayUrl}/api/v1/messages/${requestId}`;
  const answer = await eventually('the decision', async () => {
    const answered = await fetch(url, { headers: { 'x-api-key': agent.apiKey } });
    return ((await answered.json()) as { messages: { answer: string }[] }).messages[0]?.answer;
  });
  expect(JSON.parse(answer)).toMatchObject({ action: 'decline' });
  expect(device.problems).toEqual([]);
});

test('nothing is decided before the form was shown to its end', async () => {
  await using device = await product.signIn(newUser(), { viewport: { width: 390, height: 700 } });
  await using agent = await device.newAgent();
  const properties = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [
      `f${index}`,
      { type: 'string', title: `Field ${index}`, default: 'x' },
    ]),
  ) as Form['properties'];
  const { page, waitForDecision } = await ask({ device, agent }, { type: 'object', properties });
  await page.locator('[data-end=question]').scrollIntoViewIfNeeded();
  expect(await button(page, 'Approve').getAttribute('aria-disabled')).toBe('true');
  await pressDisabled(page, 'Approve');
  await untilAnnounced(page, 'Read to the end first.');
  await pressOnceRead(page, 'Approve');
  expect((await waitForDecision()).decision?.action).toBe('accept');
});

test('a decision that the agent had not seen when it wrote is to be made again', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const { page, conversation, waitForDecision } = await ask({ device, agent }, approval);
  // The agent does not read before it writes.
  await decide(page, 'Approve');
  await page.getByText('Sent', { exact: true }).waitFor();
  await conversation.send('WAIT');
  await page.getByText('The agent wrote meanwhile: decide again.').waitFor();
  await decide(page, 'Decline');
  // The first decision does not count: it is not returned.
  const { decision, seenYourLast } = await waitForDecision();
  expect({ action: decision?.action, seenYourLast }).toEqual({ action: 'decline', seenYourLast: true });
});

test('a later decision is shown beside the first, since the agent may have acted on that', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const { conversation, page } = await ask({ device, agent }, approval, { encrypted: false });
  for (const decided of [{ action: 'accept', content: {} }, { action: 'decline' }]) {
    const answer = JSON.stringify({ ...decided, decidedAt: new Date().toISOString() });
    await device.call('POST', `/api/requests/${conversation.requestId}/messages`, {
      plaintext: 'So.',
      answer,
    });
  }
  const both = page.getByText('the agent may have acted on the first.');
  await both.waitFor();
  expect(await both.innerText()).toMatch(
    /^Approved \d\d:\d\d, then declined \d\d:\d\d; the agent may have acted on the first\.$/,
  );
});

test.each(['the agent closes the request', 'another form is asked', 'it is decided on another device'])(
  'what was filled in is still there when %s',
  async (what) => {
    const user = newUser();
    await using device = await product.signIn(user);
    await using phone = await product.signIn(user);
    await using agent = await device.newAgent();
    const form: Form = { type: 'object', properties: { why: { type: 'string', title: 'Why' } } };
    const encrypted = what !== 'it is decided on another device';
    const { page, conversation } = await ask({ device, agent }, form, { encrypted });
    if (what === 'another form is asked') {
      // The agent can encrypt only after the first answer.
      await button(page, 'Write a message').click();
      await page.getByRole('textbox', { name: 'Answer' }).fill('Let me see.');
      await sendByKeyboard(page);
      await conversation.waitForAnswer(patiently);
      await button(page, 'Back to the form').click();
    }
    await page.getByLabel('Why').fill('It is stale.');
    await button(page, 'Comment').click();
    await page.getByLabel('Comment').fill('Soon.');
    await untilStored(page, 'Soon.');
    if (what === 'the agent closes the request') await conversation.close();
    else if (what === 'another form is asked') await conversation.send('And this?', { form: approval });
    else {
      await decide(await open(phone, conversation.requestId), 'Decline');
    }
    const kept = page.getByRole('textbox', { name: /^(What you wrote was not sent|You filled this in)/ });
    await kept.waitFor();
    expect(await kept.inputValue()).toBe('Why: It is stale.\nSoon.');
    await page.reload();
    await kept.waitFor();
    expect(await kept.inputValue()).toBe('Why: It is stale.\nSoon.');
    await button(page, 'Remove').click();
    await kept.waitFor({ state: 'detached' });
  },
);

test('a form that arrives does not hide a text that is being written', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  await withExpertKey(device);
  const conversation = await agent.ask('May I?');
  const page = await device.open(`/requests/${conversation.requestId}`);
  const box = page.getByRole('textbox', { name: 'Answer' });
  await box.fill('Soon.');
  await box.press('Control+Enter');
  await conversation.waitForAnswer(patiently);
  await box.pressSequentially('Half a sent');
  await conversation.send('Or decide.', { form: approval });
  await button(page, 'Back to the form').waitFor();
  await box.and(page.locator(':focus')).waitFor();
  await page.keyboard.type('ence');
  expect(await box.inputValue()).toBe('Half a sentence');
  await button(page, 'Back to the form').click();
  await button(page, 'Continue your message').click();
  expect(await box.inputValue()).toBe('Half a sentence');
});

test('a decision that waits is not sent after a reload: the expert decides again', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const form: Form = { type: 'object', properties: { why: { type: 'string', title: 'Why' } } };
  const { page, waitForDecision } = await ask({ device, agent }, form);
  await page.route('**/messages', (route) => route.fulfill({ status: 503, json: {} }));
  // A text that was begun does not stand before the form.
  await button(page, 'Write a message').click();
  await page.getByRole('textbox', { name: 'Answer' }).fill('One more thing');
  await untilStored(page, 'One more thing');
  await button(page, 'Back to the form').click();
  await page.getByLabel('Why').fill('It is stale.');
  await button(page, 'Comment').click();
  await page.getByLabel('Comment').fill('Soon.');
  await decide(page, 'Approve');
  await page.getByText('Waiting').first().waitFor();
  await page.reload();
  await page.unroute('**/messages');
  await page.getByText('Your decision was not sent').waitFor();
  await button(page, 'Decide again').click();
  await page.getByLabel('Why').waitFor();
  await page.locator('[data-form]:focus').waitFor();
  expect(await page.getByLabel('Why').inputValue()).toBe('It is stale.');
  expect(await page.getByLabel('Comment').inputValue()).toBe('Soon.');
  await decide(page, 'Approve');
  expect(await waitForDecision()).toMatchObject({
    text: 'Soon.',
    seenYourLast: true,
    decision: { action: 'accept', content: { why: 'It is stale.' } },
  });
});
