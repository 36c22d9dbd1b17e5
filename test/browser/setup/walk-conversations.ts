import type { Conversation } from '@expert-relay/sdk';
import type { Page } from 'playwright-core';
import { chooseAction } from './choose-action.ts';
import { makeExpertKey } from './make-expert-key.ts';
import { button, type Device, type OnState, type Product, type TestAgent } from './open-product.ts';
import {
  answered,
  closed,
  dependency,
  flakyTest,
  migration,
  others,
  refund,
  restart,
  type SampleRequest,
} from './sample-requests.ts';
import { sendByKeyboard } from './send-by-keyboard.ts';
import { setAge } from './set-age.ts';

/** The inbox and conversations, in all states. */
export async function walkConversations(product: Product, onState: OnState): Promise<void> {
  await using device = await product.signIn('ada');
  const agents = new Map<string, TestAgent>();
  try {
    await visitConversations(product, device, onState, async (name) => {
      const agent = agents.get(name) ?? (await device.newAgent(name));
      agents.set(name, agent);
      return agent;
    });
  } finally {
    for (const agent of agents.values()) await agent[Symbol.asyncDispose]();
  }
}

async function visitConversations(
  product: Product,
  device: Device,
  onState: OnState,
  agentOf: (name: string) => Promise<TestAgent>,
): Promise<void> {
  const { databaseUrl } = product.relay;
  const ask = async ({ agent, question, messages, tags, hoursAgo }: SampleRequest): Promise<Conversation> => {
    const conversation = await (await agentOf(agent)).ask(question, messages, tags);
    await setAge(databaseUrl, conversation.requestId, hoursAgo);
    return conversation;
  };
  const askPlainly = async ({
    agent,
    question,
    messages = [],
    tags = [],
    hoursAgo,
  }: SampleRequest): Promise<string> => {
    const asking = await agentOf(agent);
    const { requestId } = await asking.askPlainly({ question, messages, tags, plaintext: question });
    await setAge(databaseUrl, requestId, hoursAgo);
    return requestId;
  };
  const answerPlainly = (requestId: string, plaintext: string) =>
    device.call('POST', `/api/requests/${requestId}/messages`, { plaintext });

  // With no request at all, the inbox would show how to submit one.
  await askPlainly(refund);
  const page = await device.open('/requests?filter=answered');
  await page.getByText('No answered requests.').waitFor();
  await onState('inbox-empty-filter', page);

  for (const request of others) await askPlainly(request);
  await answerPlainly(
    await askPlainly(answered),
    'Yes. Use the zone `acme.example.com`, its token is in the vault.',
  );
  const closedId = await askPlainly(closed);
  await answerPlainly(closedId, 'The second one. The first is kept for old exports.');
  await device.call('POST', `/api/requests/${closedId}/close`);
  await ask(dependency);
  await ask(flakyTest);
  const conversation = await ask(migration);

  await page.goto('/dashboard/requests');
  await page.getByRole('link', { name: /has held a lock/ }).waitFor();
  await onState('inbox', page);
  await page.getByRole('searchbox').fill('kangaroo');
  await page.getByText('Nothing found for').waitFor();
  await onState('inbox-no-hit', page);
  await page.getByRole('searchbox').fill('which');
  await page.getByRole('heading', { name: 'Ended' }).waitFor();
  await onState('inbox-search', page);
  await page.getByRole('searchbox').fill('');

  await openRequest(page, 'has held a lock');
  await page.getByRole('heading', { level: 1 }).getByRole('link').click();
  await page.getByRole('list', { name: 'Limited to' }).waitFor();
  const { search } = new URL(page.url());
  await page.goto(`/dashboard/requests${search}`);
  await page.getByText('Last asked').waitFor();
  await onState('inbox-agent', page);
  await page.goto(`/dashboard/requests${search}&tag=no%20such%20tag`);
  await page.getByText('No such request here.').waitFor();
  await onState('inbox-agent-and-tag', page);
  await page.goto('/dashboard/requests');

  await openRequest(page, 'What do I answer');
  await page.getByRole('textbox', { name: 'Answer' }).waitFor();
  await onState('conversation-plain', page);
  await button(page, 'More actions').click();
  await onState('conversation-menu', page);
  await button(page, 'Snooze').click();
  await onState('conversation-snooze', page);
  await button(page, 'Cancel').click();
  await button(page, 'Saved replies').click();
  await onState('conversation-saved-replies', page);
  await button(page, 'Hide').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Stay signed in' }).waitFor();
  await onState('sign-out-question', page);

  await page.goto('/dashboard/requests');
  await openRequest(page, 'has held a lock');
  const box = page.getByRole('textbox', { name: 'Answer' });
  await box.waitFor();
  await onState('conversation-unanswered', page);
  await box.fill('Who asks?');
  await sendByKeyboard(page);
  await page.getByTestId('recovery-code').waitFor();
  await onState('expert-key-code', page);
  await button(page, 'I have kept it').click();
  await onState('expert-key-check', page);
  await button(page, 'Show the code again').click();
  await makeExpertKey(page);
  await conversation.waitForAnswer({ timeoutMs: 120_000 });
  await box.fill(
    'Yes, cancel it:\n\n```sql\nSELECT pg_cancel_backend(18231);\n```\n\nThen build it **after 22:00 UTC**.',
  );
  await onState('conversation-writing', page);
  await button(page, 'Preview').click();
  await onState('conversation-preview', page);
  await button(page, 'Write').click();
  await sendByKeyboard(page);
  await conversation.waitForAnswer({ timeoutMs: 120_000 });
  await conversation.send(
    'Cancelled: checkout is back to 120 ms. Shall I post in #incidents, or do you want to write that yourself?',
  );
  await page.locator('[data-message]', { hasText: 'Shall I post in' }).waitFor();
  await onState('conversation-follow-up', page);
  await box.fill('Post it, with the link to the dashboard.');
  await sendByKeyboard(page);
  await conversation.waitForAnswer({ timeoutMs: 120_000 });
  await onState('conversation-answered', page);

  await page.getByRole('button', { name: 'Encrypted' }).click();
  await page.getByRole('heading', { name: 'Check who you are talking to' }).waitFor();
  await onState('fingerprint', page);
  await page.getByRole('button', { name: 'Encrypted' }).click();
  await box.fill('One more thing: write down what happened.');
  await chooseAction(page, 'End request');
  await page.getByRole('textbox', { name: 'Reason' }).fill('The incident is over.');
  await onState('close-confirmation', page);
  await page.getByRole('button', { name: 'End it now' }).click();
  await page.getByText('What you wrote was not sent: the request has ended.').waitFor();
  await onState('conversation-ended', page);

  const { apiKey } = await agentOf(restart.agent);
  await visitReplayedMessage(product, device, onState, await ask(restart), apiKey);

  await page.goto('/dashboard/requests');
  await page.getByRole('link', { name: /voucher/ }).waitFor();
  await device.context.setOffline(true);
  await page.getByText('Offline.').waitFor();
  await onState('offline', page);
  await device.context.setOffline(false);
}

/** A message that is sent again with another id has an invalid signature. It stops the conversation until the expert decides. */
async function visitReplayedMessage(
  product: Product,
  device: Device,
  onState: OnState,
  conversation: Conversation,
  apiKey: string,
): Promise<void> {
  const { page } = device;
  await page.goto(`/dashboard/requests/${conversation.requestId}`);
  const box = page.getByRole('textbox', { name: 'Answer' });
  await box.fill('Yes, but drain it first.');
  await sendByKeyboard(page);
  await conversation.waitForAnswer({ timeoutMs: 120_000 });
  await conversation.send('Drained. It takes 4 minutes until it is warm again.');
  await page.locator('[data-message]', { hasText: 'Drained.' }).waitFor();
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const { gatewayUrl } = product.relay;
  const listed = await fetch(`${gatewayUrl}/api/v1/messages/${conversation.requestId}`, { headers });
  const { messages } = (await listed.json()) as {
    messages: { role: string; encrypted: object; signature: string }[];
  };
  const own = messages.find(({ role }) => role === 'consumer');
  const body = JSON.stringify({ role: 'consumer', encrypted: own?.encrypted, signature: own?.signature });
  const sent = await fetch(`${gatewayUrl}/api/v1/message/${conversation.requestId}`, {
    method: 'POST',
    headers,
    body,
  });
  if (sent.status !== 201) throw new Error(`The replay was answered ${sent.status}: ${await sent.text()}`);
  await page.getByRole('button', { name: 'Read it again' }).waitFor();
  await onState('conversation-warning', page);
}

export const openRequest = (page: Page, text: string) =>
  page.getByRole('link', { name: new RegExp(text) }).click();
