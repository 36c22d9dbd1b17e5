import { expect } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { withExpertKey } from './setup/make-expert-key.ts';
import { button, newUser } from './setup/open-product.ts';
import { readStoredKeys } from './setup/read-stored-keys.ts';
import { sendByKeyboard } from './setup/send-by-keyboard.ts';
import { signOut } from './setup/sign-out.ts';
import { useProduct } from './setup/use-product.ts';

/* A relay that shows another question, or other keys, than the expert was shown first: nothing of it may be shown. */

const product = useProduct();

const question = 'May I delete the test database?';
const swapped = 'May I delete the PRODUCTION database?';

type Answer = Record<string, unknown>;

const otherKey = 'MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=';

const lies: Record<string, Answer> = {
  question: { question: swapped },
  context: { context: [{ role: 'user', content: swapped }] },
  'plain text': { plaintext: swapped },
  'agent’s name': { agentName: swapped },
  key: {
    question: swapped,
    consumerSignPubKey: `-----BEGIN PUBLIC KEY-----\n${otherKey}\n-----END PUBLIC KEY-----\n`,
  },
  'keys, which are gone': { question: swapped, consumerSignPubKey: null, consumerEncryptPubKey: null },
};

/** Alters what the relay says of requests, in the list and in the conversation. The result says what is altered next. */
async function lieAbout(context: BrowserContext): Promise<(change: Answer) => void> {
  let change: Answer = {};
  const alter = (answer: Answer): Answer =>
    Array.isArray(answer.requests)
      ? { ...answer, requests: answer.requests.map((row: Answer) => ({ ...row, ...change })) }
      : { ...answer, ...('requestId' in answer && change) };
  for (const path of ['**/api/requests?*', '**/api/requests/*?*']) {
    await alterAnswers(context, path, alter);
  }
  return (next) => {
    change = next;
  };
}

async function alterAnswers(
  context: BrowserContext,
  path: string,
  alter: (answer: Answer) => Answer,
): Promise<void> {
  await context.route(path, async (route) => {
    try {
      const response = await route.fetch();
      await route.fulfill({ response, json: alter(await response.json()) });
    } catch {
      // The page has been left meanwhile.
    }
  });
}

const row = (page: Page) => page.locator('[data-request]');

/** The page shows that it refuses the request, and nothing of what the relay says. */
async function expectRefused(page: Page, requestId: string): Promise<void> {
  await page.goto('/dashboard/requests');
  await row(page).getByText('Refused: its question or its keys cannot be trusted.').waitFor();
  expect(await page.getByText(/PRODUCTION|staging bot/).count()).toBe(0);
  await page.goto(`/dashboard/requests/${requestId}`);
  await page
    .getByText(/^(Something in this request was changed|The keys of this request are gone)/)
    .waitFor();
  expect(await page.getByText(/PRODUCTION|staging bot/).count()).toBe(0);
  expect(await button(page, 'Send').count()).toBe(0);
}

test('a swapped question is refused in the list and in the conversation, and nothing of it is shown', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent('staging bot');
  const { requestId } = await agent.ask(question);
  const page = await device.open();
  await row(page).getByText(question).waitFor();
  const lie = await lieAbout(device.context);
  for (const change of Object.values(lies)) {
    lie(change);
    await expectRefused(page, requestId);
  }
  // The list is shown again once the relay says the truth.
  lie({});
  await page.goto('/dashboard/requests');
  await row(page).getByText(question).waitFor();
  expect(device.problems).toEqual([]);
});

test('a relay that says that another user is signed in makes the browser forget nothing', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent('staging bot');
  const conversation = await agent.ask(question);
  const code = await withExpertKey(device);
  const page = await device.open(`/requests/${conversation.requestId}`);
  await page.getByRole('textbox', { name: 'Answer' }).fill('Yes.');
  await sendByKeyboard(page);
  await conversation.waitForAnswer({ timeoutMs: 120_000 });
  // It waits for the expert again, so that it has a row.
  await conversation.send('And now?');

  const lie = await lieAbout(device.context);
  lie({ question: swapped });
  await alterAnswers(device.context, '**/api/me', (me) => ({ ...me, userId: 'another-user' }));
  await page.reload();
  await button(page, 'Keep that key').click();
  await page.getByRole('textbox', { name: 'Recovery code' }).fill(code);
  await button(page, 'Open my key').click();
  await page.getByText('Something in this request was changed').waitFor();
  await expectRefused(page, conversation.requestId);
  // A sign-out deletes the root and what was remembered with it, under whatever user.
  await signOut(page);
  await page.waitForURL(/\/auth\/login/);
  const fingerprint = /^\d{5}( \d{5}){7}\//;
  expect((await readStoredKeys(page)).filter((key) => fingerprint.test(key))).toEqual([]);
});
