import type { Conversation } from '@expert-relay/sdk';
import type { Page } from 'playwright-core';
import { chooseAction } from './choose-action.ts';
import { makeExpertKey } from './make-expert-key.ts';
import { button, type Device, type OnState, type Product, type TestAgent } from './open-product.ts';
import { decide } from './sample-forms.ts';
import { sendByKeyboard } from './send-by-keyboard.ts';
import { setAge } from './set-age.ts';

const patiently = { timeoutMs: 120_000 };
const approval = { type: 'object', properties: {} } as const;
const box = (page: Page) => page.getByRole('textbox', { name: 'Answer' });

/** Answers and decisions that wait, are refused or made again, and requests that are put off or over. */
export async function walkAnswers(product: Product, onState: OnState): Promise<void> {
  await using device = await product.signIn('answers');
  await using agent = await device.newAgent('build agent');
  await visitRequests(product, device, agent, onState);
  await visitAnswers(device, await agent.ask('May I remove the lock file?'), onState);
  await visitDecisions(device, agent, onState);
}

/** Requests without encryption, and such that cannot be read at once. */
async function visitRequests(
  { relay }: Product,
  device: Device,
  agent: TestAgent,
  onState: OnState,
): Promise<void> {
  const ask = async (question: string) =>
    (await agent.askPlainly({ question, plaintext: question })).requestId;
  const expired = await ask('Which of the two regions?');
  for (const question of ['Shall I retry the upload?', 'May I delete the branch?', 'Merge it?'])
    await ask(question);
  const later = await ask('May I restart the report job tonight?');
  const page = await open(device, later);
  await chooseAction(page, 'Snooze');
  await button(page, 'Until the agent writes').click();
  await page.locator(`[data-request="${later}"]`).getByText('Snoozed').waitFor();
  await onState('inbox-snoozed', page);
  await open(device, later);
  await page.getByText('Snoozed until the agent writes').waitFor();
  await onState('conversation-snoozed', page);

  await page.getByRole('article', { name: 'Question' }).getByRole('button').first().focus();
  await page.getByRole('tooltip').waitFor();
  await onState('exact-time', page);

  await setAge(relay.databaseUrl, expired, 73);
  await open(device, expired);
  await page.getByText('This request has ended.').waitFor();
  await onState('conversation-expired', page);

  await open(device, await ask('One line of a log, and one more. '.repeat(1_000)));
  await page.getByRole('button', { name: /^Show all/ }).waitFor();
  await onState('question-folded', page);
}

async function visitAnswers(device: Device, conversation: Conversation, onState: OnState): Promise<void> {
  const page = await open(device, conversation.requestId);
  await box(page).fill('Yes.');
  await sendByKeyboard(page);
  await makeExpertKey(page);
  await conversation.waitForAnswer(patiently);
  await page.getByText('Sent', { exact: true }).waitFor();

  await box(page).fill('Go on, and tell me how it went.');
  await button(page, 'Saved replies').click();
  await button(page, 'Save this text').click();
  await button(page, 'Remove: Go on, and tell me how it went.').waitFor();
  await onState('saved-replies', page);
  await button(page, 'Hide').click();
  await box(page).fill('');

  await button(page, 'Encrypted').click();
  await page.getByRole('textbox', { name: /^Fingerprint/ }).fill('12345');
  await onState('fingerprint-different', page);
  await button(page, 'Encrypted').click();

  await whileOffline(device, async () => {
    await box(page).fill('And remove the cache, too.');
    await sendByKeyboard(page);
    await page.getByText('Not sent yet.').waitFor();
    await onState('answer-waiting', page);
  });
  await page.locator('[data-delivery]').waitFor({ state: 'detached' });
  await box(page).fill('And the log.');

  const json = { error: 'conversation_full', title: 'It is full', status: 409 };
  await page.route('**/messages', (route) => route.fulfill({ status: 409, json }));
  await sendByKeyboard(page);
  await page.getByText('Not sent.').waitFor();
  await onState('answer-refused', page);
  await page.unroute('**/messages');
}

async function visitDecisions(device: Device, agent: TestAgent, onState: OnState): Promise<void> {
  const asking = await agent.relay.ask({ question: 'May I deploy?', form: approval });
  const page = await open(device, asking.requestId);
  await decide(page, 'Approve');
  await page.getByText('Sent', { exact: true }).waitFor();
  // The agent does not read before it writes.
  await asking.send('Wait: a test has failed.');
  await page.getByText('The agent wrote meanwhile: decide again.').waitFor();
  await onState('decision-again', page);
  await decide(page, 'Decline');
  await page.getByText('Declined').first().waitFor();
  await page.getByText('Sent', { exact: true }).last().waitFor();
  await onState('decision-declined', page);

  const answerForm = '{"type":"object","properties":{"a":{"type":"object"}}}';
  const unknown = await agent.askPlainly({ question: 'May I?', plaintext: 'May I?', answerForm });
  await open(device, unknown.requestId);
  await page.getByText('The agent sent a form that this page cannot show.').waitFor();
  await onState('form-unreadable', page);

  const confidential = await agent.relay.ask({ question: 'Which password?', confidential: true });
  agent.relay.stop();
  await open(device, confidential.requestId);
  await button(page, 'Open').waitFor();
  await onState('confidential', page);
  await button(page, 'Open').click();
  await page.getByText('The agent is sending its question.').waitFor();
  await onState('confidential-picked-up', page);
}

async function whileOffline({ context, page }: Device, run: () => Promise<void>): Promise<void> {
  // Chromium may still send a call after `setOffline` has returned.
  await page.route('**/messages', (route) => route.abort('internetdisconnected'));
  await context.setOffline(true);
  await page.getByText('Offline.').waitFor();
  await run();
  await page.unroute('**/messages');
  await context.setOffline(false);
}

async function open({ page }: Device, requestId: string): Promise<Page> {
  await page.goto(`/dashboard/requests/${requestId}`);
  await page.locator('[data-pane] h1').waitFor();
  return page;
}
