import type { Conversation } from '@expert-relay/sdk';
import type { Page } from 'playwright-core';
import { makeExpertKey } from './make-expert-key.ts';
import type { Device, Product, TestAgent } from './open-product.ts';
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
import { walkForms } from './walk-forms.ts';

/** Is called in each state of each page. */
export type Visit = (state: string, page: Page) => Promise<void>;
type Walk = (product: Product, visit: Visit) => Promise<void>;

/** Walks through the pages. Together they reach every page in its main states. Each one signs in its own expert. */
export const walks: Readonly<Record<string, Walk>> = {
  'sign-in': walkSignIn,
  'first time': walkFirstTime,
  keys: walkKeys,
  settings: walkSettings,
  conversations: walkConversations,
  forms: walkForms,
};

async function walkSignIn(product: Product, visit: Visit): Promise<void> {
  const context = await product.browser.newContext({ baseURL: product.relay.gatewayUrl, locale: 'en-GB' });
  const page = await context.newPage();
  await page.goto('/auth/login');
  await visit('sign-in', page);
  await page.goto('/auth/error');
  await visit('sign-in-failed', page);
  await context.close();
}

async function walkFirstTime(product: Product, visit: Visit): Promise<void> {
  await using device = await product.signIn('first-time');
  const page = await device.open();
  await page.getByRole('heading', { name: 'No requests yet' }).waitFor();
  await visit('inbox-first-time', page);
  await page.getByRole('button', { name: 'Make a key for an agent' }).click();
  await page.getByText('The key is in the command below.').waitFor();
  await visit('inbox-first-key', page);
  await page.goto('/dashboard/nowhere');
  await page.getByRole('heading', { name: 'There is no page at this address' }).waitFor();
  await visit('not-found', page);
  await page.goto('/dashboard/requests/AAAAAAAAAAAAAAAAAAAAAA');
  await page.getByRole('heading', { name: 'There is no such request' }).waitFor();
  await visit('request-not-found', page);
}

async function walkKeys(product: Product, visit: Visit): Promise<void> {
  await using device = await product.signIn('keys');
  const page = await device.open('/keys');
  await page.getByText('You have no keys.').waitFor();
  await visit('keys-none', page);
  await page.getByRole('button', { name: 'Make a key' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('deploy agent');
  await visit('keys-make', page);
  await page.getByRole('button', { name: 'Make the key' }).click();
  await page.getByRole('button', { name: 'I have copied it' }).waitFor();
  await visit('key-shown', page);
  await page.getByRole('button', { name: 'I have copied it' }).click();
  for (const [name, kind] of [
    ['support triage', 'consumer'],
    ['data pipeline', 'consumer'],
    ['answer bot', 'provider'],
    ['old build agent', 'consumer'],
  ]) {
    await device.call('POST', '/api/keys', { name, kind });
  }
  await page.reload();
  await page.getByRole('button', { name: 'Revoke: old build agent' }).click();
  await page.getByRole('button', { name: 'Revoke the key' }).waitFor();
  await visit('key-revoke', page);
  await page.getByRole('button', { name: 'Revoke the key' }).click();
  await page.getByText('is revoked').waitFor();
  await visit('keys', page);
  await page.getByRole('button', { name: 'Rename: data pipeline' }).click();
  await visit('key-rename', page);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'New secret: support triage' }).click();
  await visit('key-rotate', page);
}

async function walkSettings(product: Product, visit: Visit): Promise<void> {
  await using device = await product.signIn('settings');
  await using other = await product.signIn('settings');
  await using agent = await device.newAgent(migration.agent);
  await agent.ask(migration.question);
  const page = await device.open('/settings');
  await page.getByRole('heading', { name: 'Ways to sign in' }).waitFor();
  await page.getByText('added').waitFor();
  await visit('settings', page);
  await page.goto('/dashboard/requests');
  await openRequest(page, 'has held a lock');
  await page.getByRole('button', { name: 'Answer' }).click();
  await makeExpertKey(page);
  await page.getByRole('textbox', { name: 'Answer' }).waitFor();
  await page.goto('/dashboard/settings');
  await page.getByRole('button', { name: 'New recovery code' }).waitFor();
  await visit('settings-with-key', page);
  await page.keyboard.press('?');
  await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
  await visit('shortcuts', page);

  const second = await other.open();
  await openRequest(second, 'has held a lock');
  await second.getByRole('textbox', { name: 'Recovery code' }).waitFor();
  await visit('expert-key-open', second);
  await second.getByRole('textbox', { name: 'Recovery code' }).fill('1234');
  await second.getByRole('button', { name: 'Open my key' }).click();
  await second.getByText('A recovery code has 28').waitFor();
  await visit('expert-key-wrong-code', second);
  await second.getByRole('button', { name: 'I lost my code' }).click();
  await visit('expert-key-lost', second);
}

async function walkConversations(product: Product, visit: Visit): Promise<void> {
  await using device = await product.signIn('ada');
  const agents = new Map<string, TestAgent>();
  try {
    await visitConversations(product, device, visit, async (name) => {
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
  visit: Visit,
  agentOf: (name: string) => Promise<TestAgent>,
): Promise<void> {
  const { databaseUrl } = product.relay;
  const ask = async ({ agent, question, messages = [], hoursAgo }: SampleRequest): Promise<Conversation> => {
    const conversation = await (await agentOf(agent)).ask(question, messages);
    await setAge(databaseUrl, conversation.requestId, hoursAgo);
    return conversation;
  };
  const askPlainly = async ({ agent, question, messages = [], hoursAgo }: SampleRequest): Promise<string> => {
    const asking = await agentOf(agent);
    const { requestId } = await asking.askPlainly({ question, messages, plaintext: question });
    await setAge(databaseUrl, requestId, hoursAgo);
    return requestId;
  };
  const answerPlainly = (requestId: string, plaintext: string) =>
    device.call('POST', `/api/requests/${requestId}/messages`, { plaintext });

  // With no request at all, the inbox would show how to submit one.
  await askPlainly(refund);
  const page = await device.open('/requests?filter=answered');
  await page.getByText('No answered requests.').waitFor();
  await visit('inbox-empty-filter', page);

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
  await visit('inbox', page);
  await page.getByRole('searchbox').fill('kangaroo');
  await page.getByText('Nothing found for').waitFor();
  await visit('inbox-no-hit', page);
  await page.getByRole('searchbox').fill('');

  await openRequest(page, 'What do I answer');
  await page.getByRole('textbox', { name: 'Answer' }).waitFor();
  await visit('conversation-plain', page);

  await page.goto('/dashboard/requests');
  await openRequest(page, 'has held a lock');
  await page.getByRole('button', { name: 'Answer' }).waitFor();
  await visit('conversation-unanswered', page);
  await page.getByRole('button', { name: 'Answer' }).click();
  await page.getByTestId('recovery-code').waitFor();
  await visit('expert-key-code', page);
  await page.getByRole('button', { name: 'I have kept it' }).click();
  await visit('expert-key-check', page);
  await page.getByRole('button', { name: 'Show the code again' }).click();
  await makeExpertKey(page);
  const box = page.getByRole('textbox', { name: 'Answer' });
  await box.fill(
    'Yes, cancel it:\n\n```sql\nSELECT pg_cancel_backend(18231);\n```\n\nThen build it **after 22:00 UTC**.',
  );
  await visit('conversation-writing', page);
  await page.getByRole('button', { name: 'Preview' }).click();
  await visit('conversation-preview', page);
  await page.getByRole('button', { name: 'Continue writing' }).click();
  await sendByKeyboard(page);
  await conversation.waitForAnswer({ timeout: 120_000 });
  await conversation.send(
    'Cancelled: checkout is back to 120 ms. Shall I post in #incidents, or do you want to write that yourself?',
  );
  await page.getByText('Shall I post in').waitFor();
  await visit('conversation-follow-up', page);
  await box.fill('Post it, with the link to the dashboard.');
  await sendByKeyboard(page);
  await conversation.waitForAnswer({ timeout: 120_000 });
  await visit('conversation-answered', page);

  await page.getByRole('button', { name: 'Encrypted' }).click();
  await page.getByRole('heading', { name: 'Check who you are talking to' }).waitFor();
  await visit('fingerprint', page);
  await page.getByRole('button', { name: 'Encrypted' }).click();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByRole('button', { name: 'Close request' }).waitFor();
  await visit('close-confirmation', page);
  await page.getByRole('button', { name: 'Close request' }).click();
  await page.getByText('This request has ended.').waitFor();
  await visit('conversation-ended', page);

  const { apiKey } = await agentOf(restart.agent);
  await visitReplayedMessage(product, device, visit, await ask(restart), apiKey);

  await page.goto('/dashboard/requests');
  await page.getByRole('link', { name: /voucher/ }).waitFor();
  await device.context.setOffline(true);
  await page.getByText('Offline.').waitFor();
  await visit('offline', page);
  await device.context.setOffline(false);
}

/** A message that is sent again with another id has an invalid signature. It stops the conversation until the expert decides. */
async function visitReplayedMessage(
  product: Product,
  device: Device,
  visit: Visit,
  conversation: Conversation,
  apiKey: string,
): Promise<void> {
  const { page } = device;
  await page.goto(`/dashboard/requests/${conversation.requestId}`);
  await page.getByRole('button', { name: 'Answer' }).click();
  const box = page.getByRole('textbox', { name: 'Answer' });
  await box.fill('Yes, but drain it first.');
  await sendByKeyboard(page);
  await conversation.waitForAnswer({ timeout: 120_000 });
  await conversation.send('Drained. It takes 4 minutes until it is warm again.');
  await page.getByText('Drained.').waitFor();
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
  await visit('conversation-warning', page);
}

const openRequest = (page: Page, text: string) => page.getByRole('link', { name: new RegExp(text) }).click();
