import type { Field, Form } from '@expert-relay/sdk/forms';
import { eventually } from '@expert-relay/testkit';
import { describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { withExpertKey } from './setup/make-expert-key.ts';
import { button, type Device, newUser, type TestAgent } from './setup/open-product.ts';
import { pressDisabled } from './setup/press-disabled.ts';
import { untilStored } from './setup/read-stored-keys.ts';
import { decide } from './setup/sample-forms.ts';
import { untilAnnounced } from './setup/until-announced.ts';
import { useProduct } from './setup/use-product.ts';

/* What an expert approves or signs was shown as it is: all that a request is made of, and all that a form prefills. */

const product = useProduct();
const phone = { viewport: { width: 390, height: 700 } };
const enabled = (page: Page, name: string) => button(page, name).and(page.locator(':not([aria-disabled])'));
const isDisabled = async (page: Page, name: string) =>
  (await button(page, name).getAttribute('aria-disabled')) === 'true';
/** Until the end of a text counts as shown it must be in view for a second. */
const longerThanReading = 2_500;

const options = ['a, b', 'a', 'b', 'a  b'];
/** A field of each type with a default, and what is seen of it. Without it: the default itself. */
const prefilled: Readonly<Record<string, Field & { readonly seen?: string }>> = {
  short: { type: 'string', maxLength: 80, default: 'blue' },
  lines: { type: 'string', maxLength: 80, default: 'ls\nrm -rf ~' },
  begin: { type: 'string', maxLength: 80, default: '\nls\n' },
  spaces: { type: 'string', maxLength: 80, default: 'a  b\tc' },
  wide: { type: 'string', maxLength: 100, default: 'W'.repeat(99) },
  unbroken: { type: 'string', default: 'x'.repeat(600) },
  long: { type: 'string', default: `${'One more line.\n'.repeat(90)}rm -rf ~` },
  email: { type: 'string', format: 'email', default: `${'a'.repeat(60)}@${'b'.repeat(60)}.example.com` },
  page: { type: 'string', format: 'uri', default: `https://example.com/${'path/'.repeat(60)}?to=evil` },
  day: { type: 'string', format: 'date', default: '2026-11-24' },
  year: { type: 'string', format: 'date', default: '0000-01-01', seen: 'Exactly: 0000-01-01' },
  at: { type: 'string', format: 'date-time', default: '2026-11-24T08:30:05Z', seen: '2026-11-24T08:30:05' },
  exactly: {
    type: 'string',
    format: 'date-time',
    default: '2026-11-24T08:30:00.123456789+02:00',
    seen: 'Exactly: 2026-11-24T08:30:00.123456789+02:00',
  },
  share: { type: 'number', default: -1.2345678901234567e-100 },
  pods: { type: 'integer', default: -9007199254740991 },
  sure: { type: 'boolean', default: false, seen: 'No' },
  one: { type: 'string', enum: options, default: 'a  b' },
  several: { type: 'array', items: { type: 'string', enum: options }, default: ['a', 'a  b'] },
  none: { type: 'array', items: { type: 'string', enum: options }, default: [], seen: '[]' },
};
const properties = Object.fromEntries(
  Object.entries(prefilled).map(([name, { seen: _, ...field }]) => [name, { ...field, title: name }]),
) as Form['properties'];
const form: Form = { type: 'object', properties };

/**
 * What a person sees of each field: what a text box or a date shows, the titles of what is chosen, and the remarks. A text
 * box that must be scrolled shows less than it has.
 */
const seenOf = (page: Page): Promise<Record<string, { text: string; notes: string[]; isCut: boolean }>> =>
  page.evaluate(`Object.fromEntries([...document.querySelectorAll('[data-field]')].map((field) => {
    const box = field.querySelector('textarea, input:not([type=radio], [type=checkbox], [type=search])');
    const chosen = [...field.querySelectorAll(':checked')].map((one) => one.parentElement.innerText);
    const isCut = box !== null && (box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1);
    const notes = [...field.querySelectorAll('p')].map((note) => note.innerText);
    return [field.dataset.field, { text: box ? box.value : JSON.stringify(chosen), notes, isCut }];
  }))`);

function expected(field: (typeof prefilled)[string]): string {
  const { seen, default: given } = field;
  if (field.type === 'array') return JSON.stringify(given);
  const isChoice = field.type === 'boolean' || 'enum' in field;
  return isChoice ? JSON.stringify([seen ?? given]) : (seen ?? String(given));
}

/** Opens a request up to the point where the expert decides. */
async function open(device: Device, requestId: string, encrypted: boolean): Promise<Page> {
  if (encrypted) await withExpertKey(device);
  const page = await device.open(`/requests/${requestId}`);
  await button(page, 'Approve').waitFor();
  return page;
}

describe('all of each prefilled value is seen, and is what is sent,', () => {
  test.each([
    ['an encrypted conversation on a phone', true, phone],
    ['a plain conversation on a laptop', false, {}],
  ])('in %s', async (_, encrypted, options) => {
    await using device = await product.signIn(newUser(), options);
    await using agent = await device.newAgent();
    const conversation = await agent.relay.ask({ question: 'May I?', form, encrypted });
    const page = await open(device, conversation.requestId, encrypted);
    const fields = await seenOf(page);
    expect(Object.keys(fields)).toEqual(Object.keys(prefilled));
    for (const [name, field] of Object.entries(prefilled)) {
      const { text = '', notes = [], isCut } = fields[name] ?? {};
      const isSeen = text === expected(field) || notes.includes(expected(field));
      expect({ name, text: isSeen ? '' : text, notes: isSeen ? '' : notes, isCut }).toEqual({
        name,
        text: '',
        notes: '',
        isCut: false,
      });
    }
    // The long value is in the middle: until it was scrolled by, nothing is decided.
    await page.locator('[data-field=short]').scrollIntoViewIfNeeded();
    await page.waitForTimeout(longerThanReading);
    expect(await isDisabled(page, 'Approve')).toBe(true);
    await page.locator('[data-form] [data-end]').scrollIntoViewIfNeeded();
    await decide(page, 'Approve');
    const { answer } = await conversation.waitForAnswer({ timeoutMs: 120_000 });
    // A list of which nothing is chosen is sent as absent, like all that is empty.
    const { none: _none, ...sent } = prefilled;
    const content = Object.fromEntries(Object.entries(sent).map(([name, field]) => [name, field.default]));
    expect(answer).toMatchObject({ action: 'accept', content });
    expect(device.problems).toEqual([]);
  });
});

test('in a text of one line, Enter does nothing, and line breaks that are pasted are dropped', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const asked: Form = {
    type: 'object',
    properties: { name: { type: 'string', title: 'Name', maxLength: 80 } },
  };
  const conversation = await agent.relay.ask({ question: 'Which?', form: asked, encrypted: false });
  const page = await open(device, conversation.requestId, false);
  const box = page.getByLabel('Name');
  await box.pressSequentially('one');
  await box.press('Enter');
  await page.keyboard.insertText(' two\nthree');
  await eventually('the text', async () => (await box.inputValue()) === 'one twothree');
  await enabled(page, 'Approve').click();
  const { answer } = await conversation.waitForAnswer({ timeoutMs: 120_000 });
  expect(answer).toMatchObject({ content: { name: 'one twothree' } });
});

/** What the expert's signature covers besides a short question, and how it is read. */
type Way = (page: Page) => Promise<void>;
const scrollTo =
  (end: string): Way =>
  (page) =>
    page.locator(`[data-end="${end}"]`).scrollIntoViewIfNeeded();
const before = (count: number, long = -1) =>
  Array.from({ length: count }, (_, index) => ({
    role: 'user',
    content: index === long ? `${'word '.repeat(7_000)}end.` : `Before ${index}.`,
  }));
const signed: readonly (readonly [string, Parameters<TestAgent['relay']['ask']>[0], Way])[] = [
  [
    'another plain text',
    { question: 'May I clean /tmp?', plaintext: `${'Line.\n\n'.repeat(200)}May I drop prod?` },
    scrollTo('plaintext'),
  ],
  [
    'a message of many lines',
    {
      question: 'May I?',
      messages: [...before(3), { role: 'user', content: `${'Line.\n\n'.repeat(200)}end.` }],
    },
    scrollTo('context:3'),
  ],
  ['a long message', { question: 'May I?', messages: before(2, 0) }, scrollTo('context:0')],
  [
    'a long message among the older ones',
    { question: 'May I?', messages: before(4, 0) },
    scrollTo('context:0'),
  ],
];

/* Both read the same list of texts: the plain request has a row for the plain text and one for the messages. */
describe.each([
  ['encrypted', true, signed],
  ['plain', false, signed.slice(0, 2)],
])('an %s request', (_, encrypted, rows) => {
  test.each(rows)('is not signed or decided before %s was read', async (_text, asked, read) => {
    await using device = await product.signIn(newUser(), { viewport: { width: 1_000, height: 700 } });
    await using agent = await device.newAgent();
    const approval: Form = { type: 'object', properties: {} };
    const conversation = await agent.relay.ask({ ...asked, form: approval, encrypted });
    const page = await open(device, conversation.requestId, encrypted);
    await page.waitForTimeout(longerThanReading);
    expect(await isDisabled(page, 'Approve')).toBe(true);
    // The press brings the expert there.
    await pressDisabled(page, 'Approve');
    await untilAnnounced(page, 'Read to the end first.');
    await read(page);
    // The press leads to what is left.
    await decide(page, 'Approve');
    expect((await conversation.waitForAnswer({ timeoutMs: 120_000 })).answer?.action).toBe('accept');
    expect(device.problems).toEqual([]);
  });
});

test('older messages are open until they were read, and a press leads to them when the expert folds them', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent();
  const [, ...others] = before(5);
  const long = { role: 'user', content: `Before 0.\n\n${'Line.\n\n'.repeat(200)}` };
  const conversation = await agent.ask('May I?', [long, ...others]);
  const page = await device.open(`/requests/${conversation.requestId}`);
  const fold = page.getByText('2 older messages');
  await page.getByText('Before 0.').waitFor();
  await fold.click();
  await page.getByText('Before 0.').waitFor({ state: 'hidden' });
  await page.waitForTimeout(longerThanReading);
  await page.getByRole('textbox', { name: 'Answer' }).fill('Yes.');
  expect(await isDisabled(page, 'Send')).toBe(true);
  await pressDisabled(page, 'Send');
  await page.locator('summary:focus').waitFor();
  await page.keyboard.press('Enter');
  for (const end of [...before(5).keys()].map((index) => `context:${index}`)) {
    await scrollTo(end)(page);
    await page.waitForTimeout(longerThanReading);
  }
  await enabled(page, 'Send').waitFor();
  await untilStored(page, 'Yes.');
  await page.reload();
  await fold.waitFor();
  expect(await page.getByText('Before 0.').isVisible()).toBe(false);
  await enabled(page, 'Send').waitFor();
});
