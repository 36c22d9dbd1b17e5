import type { Conversation } from '@expert-relay/sdk';
import { openVault } from '@expert-relay/sdk/crypto';
import { createExpert, type Expert } from '@expert-relay/sdk/expert';
import type { Form } from '@expert-relay/sdk/forms';
import { eventually } from '@expert-relay/testkit';
import { describe, expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { checkAccessibility } from './setup/check-accessibility.ts';
import { holdUndo } from './setup/hold-undo.ts';
import { withExpertKey } from './setup/make-expert-key.ts';
import { button, type Device, newUser, type TestAgent } from './setup/open-product.ts';
import { useProduct } from './setup/use-product.ts';

/*
 * Equal approvals are decided together: each gets its own answer, one that changes meanwhile gets none, and what becomes of one changes
 * nothing for the others. The time of Undo ends where a test says so.
 */

const product = useProduct({ own: { gateway: { RELAY_RATE_LIMIT_PAGES: '100000' } } });
const form: Form = { type: 'object', properties: {} };
const question = 'May I run `npm test`?';
const messages = [{ role: 'assistant', content: 'The branch is green.' }];
const patiently = { timeoutMs: 120_000 };

interface Opened {
  readonly device: Device;
  readonly encrypted: boolean;
  readonly page: Page;
  /** Three that are equal, the open one first. */
  readonly equal: readonly [Conversation, Conversation, Conversation];
  /** It has another context. */
  readonly different: Conversation;
  /** The same expert, in a program. */
  readonly other: Expert;
  /** From then on decisions are sent. */
  readonly endUndo: () => Promise<number>;
}

const outcomes = (page: Page): Locator => page.getByRole('region', { name: 'Equal requests' });
const outcomeOf = (page: Page, { refCode }: Conversation, text: string | RegExp): Locator =>
  outcomes(page).getByRole('listitem').filter({ hasText: refCode }).filter({ hasText: text });

async function openOther(device: Device, code: string | undefined): Promise<Expert> {
  const { key: apiKey } = await device.call<{ key: string }>('POST', '/api/keys', {
    name: 'script',
    kind: 'provider',
  });
  const options = { url: product.relay.gatewayUrl, apiKey };
  const stored = code && (await createExpert(options).readVault());
  return createExpert(stored ? { ...options, root: await openVault(stored.vault, code) } : options);
}

/** Opens the newest of three equal approvals, and reads which of the similar ones are equal. */
async function openEqual(device: Device, agent: TestAgent, encrypted: boolean): Promise<Opened> {
  const code = encrypted ? await withExpertKey(device) : undefined;
  const ask = (context = messages) =>
    agent.relay.ask({
      question,
      messages: context,
      form,
      ...(!encrypted && { encrypted, plaintext: question }),
    });
  const [different, third, second, first] = [await ask([]), await ask(), await ask(), await ask()];
  const endUndo = await holdUndo(device.page);
  const page = await device.open(`/requests/${first.requestId}`);
  await button(page, '3 similar requests: answer all together').click();
  await outcomeOf(page, different, 'is left out: it is not equal.').waitFor();
  await outcomes(page).getByText('These 3 requests ask the same, to the last character.').waitFor();
  const other = await openOther(device, code);
  return { device, encrypted, page, equal: [first, second, third], different, other, endUndo };
}

/** Decides about all that are equal, and returns when each can be taken back. */
async function decide(page: Page, name: 'Approve' | 'Decline', count: number): Promise<void> {
  await button(page, `${name} all ${count}`).click();
  await until(page, `${count} ${name.toLowerCase()}d. They are sent in a moment.`);
}

/** Ends the time in which decisions can be taken back. */
async function sendAll({ page, endUndo }: Opened, text: string): Promise<void> {
  expect(await endUndo()).toBeGreaterThan(0);
  await until(page, text);
}

const until = (page: Page, text: string): Promise<void> => outcomes(page).getByText(text).waitFor();

type Decisions = readonly [string, string, string];

const decisionOf = async ({ other }: Opened, { requestId }: Conversation) =>
  (await other.request(requestId)).decision;

async function expectDecisions(opened: Opened, expected: Decisions): Promise<void> {
  const { equal, different } = opened;
  const decisions = await Promise.all(equal.map((one) => decisionOf(opened, one)));
  expect(decisions).toEqual(expected);
  expect(await decisionOf(opened, different)).toBe('open');
}

/** With encryption the agent sends once it knows the keys. */
async function send(device: Device, conversation: Conversation, text: string): Promise<void> {
  await conversation.send(text);
  await eventually('the message', async () => {
    await conversation.refresh();
    const path = `/api/requests/${conversation.requestId}`;
    return (await device.call<{ messages: unknown[] }>('GET', path)).messages.length > 0;
  });
}

const cut = (requestId: string) => new RegExp(`/api/requests/${requestId}/messages$`);

type Way = readonly [string, (opened: Opened) => Promise<void>];

const answers: readonly Way[] = [
  [
    'all are approved, each with an answer of its own',
    async (opened) => {
      const { page, equal } = opened;
      await decide(page, 'Approve', 3);
      await sendAll(opened, '3 of 3 approved.');
      const answers = await Promise.all(equal.map((one) => one.waitForAnswer(patiently)));
      expect(answers.map(({ answer }) => answer?.action)).toEqual(['accept', 'accept', 'accept']);
      expect(new Set(answers.map(({ messageId }) => messageId)).size).toBe(3);
      expect(await checkAccessibility(page)).toEqual([]);
      await expectDecisions(opened, ['accepted', 'accepted', 'accepted']);
    },
  ],
  [
    'all are declined, with the comment',
    async (opened) => {
      const { page, equal, encrypted } = opened;
      await button(page, 'Comment').click();
      await page.getByLabel('Comment').fill('Not on a Friday.');
      await decide(page, 'Decline', 3);
      await sendAll(opened, '3 of 3 declined.');
      for (const one of equal) {
        const { answer, text } = await one.waitForAnswer(patiently);
        expect([answer?.action, encrypted ? text : answer?.comment]).toEqual(['decline', 'Not on a Friday.']);
      }
      await expectDecisions(opened, ['declined', 'declined', 'declined']);
    },
  ],
];

/** The agent of one of them writes after the press. */
async function dropOut(opened: Opened, at: 0 | 1, decisions: Decisions): Promise<void> {
  const { device, page, equal } = opened;
  await decide(page, 'Approve', 3);
  await send(device, equal[at], 'WAIT');
  await outcomeOf(page, equal[at], 'Not sent: the agent wrote meanwhile.').waitFor();
  await sendAll(opened, '2 of 3 approved.');
  await expectDecisions(opened, decisions);
}

const changes: readonly Way[] = [
  [
    'after Undo none was answered, and all are offered again with the comment',
    async (opened) => {
      const { page, equal, other, endUndo } = opened;
      await button(page, 'Comment').click();
      await page.getByLabel('Comment').fill('Soon.');
      await decide(page, 'Approve', 3);
      await button(page, 'Undo').waitFor();
      await page.keyboard.press('Escape');
      await button(page, 'Approve all 3').waitFor();
      expect(await page.getByLabel('Comment').inputValue()).toBe('Soon.');
      expect(await endUndo()).toBe(0);
      await decide(page, 'Decline', 3);
      await sendAll(opened, '3 of 3 declined.');
      for (const { requestId } of equal)
        expect((await other.request(requestId)).decisions).toMatchObject([{ action: 'decline' }]);
    },
  ],
  [
    'one that has ended before the press drops out, and is named',
    async (opened) => {
      const { page, equal } = opened;
      await equal[1].close();
      await outcomeOf(page, equal[1], 'is left out: it has ended.').waitFor();
      expect(await checkAccessibility(page)).toEqual([]);
      await decide(page, 'Approve', 2);
      await sendAll(opened, '2 of 2 approved.');
      await expectDecisions(opened, ['accepted', 'open', 'accepted']);
    },
  ],
  [
    'one whose agent writes after the press drops out, and is named',
    (opened) => dropOut(opened, 1, ['accepted', 'open', 'accepted']),
  ],
  [
    'the open one drops out alone if its agent writes',
    (opened) => dropOut(opened, 0, ['open', 'accepted', 'accepted']),
  ],
  [
    'one that is answered on another device keeps that answer',
    async (opened) => {
      const { page, equal, other, encrypted } = opened;
      await decide(page, 'Approve', 3);
      const elsewhere = await other.request(equal[1].requestId);
      await elsewhere.answer('', { decision: { action: 'decline' }, plaintext: !encrypted });
      await outcomeOf(page, equal[1], 'Not sent: it was decided elsewhere.').waitFor();
      await sendAll(opened, '2 of 3 approved.');
      await expectDecisions(opened, ['accepted', 'declined', 'accepted']);
    },
  ],
  [
    'one that cannot be sent is tried again alone',
    async (opened) => {
      const { page, equal, endUndo } = opened;
      await page.route(cut(equal[1].requestId), (route) => route.abort('connectionreset'));
      await decide(page, 'Approve', 3);
      expect(await endUndo()).toBe(3);
      await outcomeOf(page, equal[1], 'Not sent yet.').waitFor();
      await until(page, '2 of 3 approved.');
      await expectDecisions(opened, ['accepted', 'open', 'accepted']);
      expect(await checkAccessibility(page)).toEqual([]);
      const again = button(page, `Try again: ${equal[1].refCode}`);
      await again.waitFor();
      await page.unroute(cut(equal[1].requestId));
      // The page also tries again without a press, and may be faster.
      await again.click({ timeout: 3_000 }).catch(() => {});
      await until(page, '3 of 3 approved.');
      await expectDecisions(opened, ['accepted', 'accepted', 'accepted']);
    },
  ],
];

describe.each([
  { name: 'encrypted', encrypted: true, ways: [...answers, ...changes] },
  // What happens meanwhile does not depend on it.
  { name: 'plain', encrypted: false, ways: answers },
])('of equal $name approvals,', ({ encrypted, ways }) => {
  test.each(ways)('%s', async (_, act) => {
    await using device = await product.signIn(newUser());
    await using agent = await device.newAgent();
    const opened = await openEqual(device, agent, encrypted);
    await act(opened);
    opened.other.stop();
    expect(device.problems).toEqual([]);
  });
});

test('with a key that is opened at the press, all are approved', async () => {
  const user = newUser();
  await using first = await product.signIn(user);
  const code = await withExpertKey(first);
  await using device = await product.signIn(user);
  await using agent = await device.newAgent();
  const [second, open] = [
    await agent.relay.ask({ question, form }),
    await agent.relay.ask({ question, form }),
  ];
  const page = await device.open(`/requests/${open.requestId}`);
  await button(page, '1 similar request: answer both together').click();
  await button(page, 'Approve all 2').click();
  await page.getByRole('textbox', { name: 'Recovery code' }).fill(code);
  await button(page, 'Open my key').click();
  for (const one of [open, second])
    expect((await one.waitForAnswer(patiently)).answer?.action).toBe('accept');
  await until(page, '2 of 2 approved.');
  expect(device.problems).toEqual([]);
});
