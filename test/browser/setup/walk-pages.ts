import { makeExpertKey } from './make-expert-key.ts';
import { button, type OnState, type Product } from './open-product.ts';
import { migration } from './sample-requests.ts';
import { sendByKeyboard } from './send-by-keyboard.ts';
import { walkAnswers } from './walk-answers.ts';
import { openRequest, walkConversations } from './walk-conversations.ts';
import { walkFailures } from './walk-failures.ts';
import { walkForms } from './walk-forms.ts';
import { walkNotifications, walkWebhooks } from './walk-notifications.ts';
import { walkSeveral } from './walk-several.ts';

type Walk = (product: Product, onState: OnState) => Promise<void>;

/** Walks through the pages. Together they reach every page in its main states. Each one signs in its own expert. */
export const walks: Readonly<Record<string, Walk>> = {
  'sign-in': walkSignIn,
  'first time': walkFirstTime,
  keys: walkKeys,
  webhooks: walkWebhooks,
  notifications: walkNotifications,
  settings: walkSettings,
  conversations: walkConversations,
  forms: walkForms,
  answers: walkAnswers,
  several: walkSeveral,
  failures: walkFailures,
};

async function walkSignIn(product: Product, onState: OnState): Promise<void> {
  const context = await product.browser.newContext({ baseURL: product.relay.gatewayUrl, locale: 'en-GB' });
  const page = await context.newPage();
  await page.goto('/auth/login');
  await onState('sign-in', page);
  await page.goto('/auth/error');
  await onState('sign-in-failed', page);
  await context.close();
}

async function walkFirstTime(product: Product, onState: OnState): Promise<void> {
  await using device = await product.signIn('first-time');
  const page = await device.open();
  await page.getByRole('heading', { name: 'No requests yet' }).waitFor();
  await onState('inbox-first-time', page);
  await page.getByRole('button', { name: 'Make a key for an agent' }).click();
  await page.getByText('The key is in the command below.').waitFor();
  await onState('inbox-first-key', page);
  await page.goto('/dashboard/nowhere');
  await page.getByRole('heading', { name: 'There is no page at this address' }).waitFor();
  await onState('not-found', page);
  await page.goto('/dashboard/requests/AAAAAAAAAAAAAAAAAAAAAA');
  await page.getByRole('heading', { name: 'There is no such request' }).waitFor();
  await onState('request-not-found', page);
}

async function walkKeys(product: Product, onState: OnState): Promise<void> {
  await using device = await product.signIn('keys');
  const page = await device.open('/keys');
  await page.getByText('You have no keys.').waitFor();
  await onState('keys-none', page);
  await page.getByRole('button', { name: 'Make a key' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('deploy agent');
  await onState('keys-make', page);
  await page.getByRole('button', { name: 'Make key' }).click();
  await page.getByRole('button', { name: 'I have copied it' }).waitFor();
  await onState('key-shown', page);
  await page.getByRole('button', { name: 'I have copied it' }).click();
  for (const [name, kind] of [
    ['support triage', 'consumer'],
    ['data pipeline', 'consumer'],
    ['answer bot', 'provider'],
    ['old build agent', 'consumer'],
    ['a name that is as long as names of keys can be '.repeat(2), 'provider'],
  ]) {
    await device.call('POST', '/api/keys', { name, kind });
  }
  await page.reload();
  await page.getByRole('button', { name: 'Revoke: old build agent' }).click();
  await page.getByRole('button', { name: 'Revoke the key' }).waitFor();
  await onState('key-revoke', page);
  await page.getByRole('button', { name: 'Revoke the key' }).click();
  await page.getByText('is revoked').waitFor();
  await onState('keys', page);
  await page.getByText('Revoked keys (1)').click();
  await page.getByText('old build agent', { exact: true }).waitFor();
  await onState('keys-revoked', page);
  await page.getByRole('button', { name: 'Rename: data pipeline' }).click();
  await onState('key-rename', page);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'New secret: support triage' }).click();
  await onState('key-rotate', page);
}

async function walkSettings(product: Product, onState: OnState): Promise<void> {
  await using device = await product.signIn('settings');
  await using other = await product.signIn('settings');
  await using agent = await device.newAgent(migration.agent);
  await agent.ask(migration.question);
  const page = await device.open('/settings');
  await page.getByRole('heading', { name: 'Ways to sign in' }).waitFor();
  await page.getByText('added').waitFor();
  await onState('settings', page);
  await page.goto('/dashboard/requests');
  await openRequest(page, 'has held a lock');
  await page.getByRole('textbox', { name: 'Answer' }).fill('Yes.');
  await sendByKeyboard(page);
  await makeExpertKey(page);
  await page.getByText('Sent', { exact: true }).waitFor();
  await page.goto('/dashboard/settings');
  await page.getByRole('button', { name: 'New recovery code' }).waitFor();
  await onState('settings-with-key', page);
  for (const [name, heading, state] of [
    ['New recovery code', 'Keep your recovery code', 'settings-new-code'],
    ['Remove from this browser', 'Remove your key from this browser?', 'settings-remove-key'],
    ['Make a new key…', 'Make a new key', 'settings-replace-key'],
    ['Sign out everywhere', 'Sign out everywhere?', 'settings-sign-out'],
  ] as const) {
    await page.getByRole('button', { name, exact: true }).click();
    await page.getByRole('heading', { name: heading }).waitFor();
    await onState(state, page);
    await page.reload();
    await page.getByRole('button', { name: 'New recovery code' }).waitFor();
  }
  await page.keyboard.press('?');
  await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
  await onState('shortcuts', page);

  const second = await other.open('/requests?filter=answered');
  await openRequest(second, 'has held a lock');
  await second.getByRole('textbox', { name: 'Recovery code' }).waitFor();
  await onState('expert-key-open', second);
  await second.getByRole('textbox', { name: 'Recovery code' }).fill('1234');
  await button(second, 'Open my key').click();
  await second.getByText('A recovery code has 28').waitFor();
  await onState('expert-key-wrong-code', second);
  await button(second, 'I lost my code').click();
  await onState('expert-key-lost', second);
}
