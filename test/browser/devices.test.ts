import {
  makeRecoveryCode,
  makeRoot,
  openExpertKeys,
  openVault,
  sealVault,
  type Vault,
} from '@expert-relay/sdk/crypto';
import { createExpert } from '@expert-relay/sdk/expert';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { withExpertKey } from './setup/make-expert-key.ts';
import { button, type Device } from './setup/open-product.ts';
import { readStoredKeys } from './setup/read-stored-keys.ts';
import { useProduct } from './setup/use-product.ts';

/* An expert uses the same key on several devices: in two browsers, or in a browser and a program. */

const product = useProduct();

const box = (page: Page) => page.getByRole('textbox', { name: 'Answer' });

async function openKey(page: Page, code: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Recovery code' }).fill(code);
  await button(page, 'Open my key').click();
}

async function send(page: Page, text: string): Promise<void> {
  await box(page).fill(text);
  await button(page, 'Send').click();
}

/** Reads or writes the vault with a provider key, as a program does. */
async function callVault(apiKey: string, vault?: Vault, replaces?: string): Promise<Vault> {
  const url = `${product.relay.gatewayUrl}/api/v1/vault`;
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const answer = await fetch(url, {
    method: vault ? 'PUT' : 'GET',
    headers: { ...headers, ...(replaces && { 'if-match': replaces }) },
    ...(vault && { body: JSON.stringify({ vault }) }),
  });
  expect(answer.ok).toBe(true);
  return vault ?? ((await answer.json()) as { vault: Vault }).vault;
}

const makeProviderKey = async (device: Device): Promise<string> =>
  (await device.call<{ key: string }>('POST', '/api/keys', { name: 'script', kind: 'provider' })).key;

test('a second device shows the messages of the first one after the recovery code was entered', async () => {
  await using first = await product.signIn('ada');
  await using agent = await first.newAgent();
  const conversation = await agent.ask('May I remove the lock file?');
  const code = await withExpertKey(first);
  const page = await first.open(`/requests/${conversation.requestId}`);
  await send(page, 'Written on the laptop');
  expect((await conversation.waitForAnswer({ timeoutMs: 120_000 })).text).toBe('Written on the laptop');

  await using second = await product.signIn('ada', { viewport: { width: 390, height: 800 } });
  const phone = await second.open(`/requests/${conversation.requestId}`);
  await phone.getByRole('textbox', { name: 'Recovery code' }).waitFor();
  expect(await phone.getByText('Written on the laptop').count()).toBe(0);
  await openKey(phone, await makeRecoveryCode());
  await phone.getByText('This code opens another key, or was replaced by a newer one.').waitFor();
  await openKey(phone, code);
  await phone.getByText('Written on the laptop').waitFor();
  await send(phone, 'Written on the phone');
  expect((await conversation.waitForAnswer({ timeoutMs: 120_000 })).text).toBe('Written on the phone');
  await page.getByText('Written on the phone').waitFor();
});

test('an expert key of a program can be opened in the browser', async () => {
  await using device = await product.signIn('bela');
  await using agent = await device.newAgent();
  const root = makeRoot();
  const code = await makeRecoveryCode();
  await callVault(await makeProviderKey(device), await sealVault(root, code));
  const conversation = await agent.ask('Which of the two?');
  const page = await device.open(`/requests/${conversation.requestId}`);
  // The press asks for the key, and sends then.
  await send(page, 'The first one');
  await openKey(page, code);
  expect((await conversation.waitForAnswer({ timeoutMs: 120_000 })).text).toBe('The first one');
  expect(conversation.fingerprint).toBe((await openExpertKeys(root)).fingerprint);
});

test('an expert key of the browser can be opened in a program', async () => {
  await using device = await product.signIn('cleo');
  await using agent = await device.newAgent();
  const conversation = await agent.ask('Which of the two?');
  const code = await withExpertKey(device);
  const page = await device.open(`/requests/${conversation.requestId}`);
  await send(page, 'The first one');
  expect((await conversation.waitForAnswer({ timeoutMs: 120_000 })).text).toBe('The first one');

  const apiKey = await makeProviderKey(device);
  const root = await openVault(await callVault(apiKey), code);
  const expert = createExpert({ url: product.relay.gatewayUrl, apiKey, root });
  try {
    const request = await expert.request(conversation.refCode);
    for await (const { from, text } of request.messages) {
      expect([from, text]).toEqual(['expert', 'The first one']);
      break;
    }
    await request.answer('Written by the program');
  } finally {
    expert.stop();
  }
  await page.getByText('Written by the program').waitFor();
});

test('after another user has signed in with the same browser, no data of the first user is left', async () => {
  await using device = await product.signIn('dora');
  await using agent = await device.newAgent();
  const { requestId } = await agent.askPlainly({ question: 'A secret plan', plaintext: 'A secret plan' });
  const page = await device.open(`/requests/${requestId}`);
  await box(page).fill('A secret draft');
  await device.context.request.post('/auth/dev', { form: { user: 'eve' }, maxRedirects: 0 });
  const next = await device.newTab();
  await next.goto(`/dashboard/requests/${requestId}`);
  await next.getByText('There is no such request, or it is not yours.').waitFor();
  // The tab of the first user shows the second user now.
  await page.getByText('There is no such request, or it is not yours.').waitFor();
  for (const tab of [page, next]) expect(await tab.getByText(/secret/).count()).toBe(0);
  const keys = await readStoredKeys(next);
  const { userId } = await device.call<{ userId: string }>('GET', '/api/me');
  expect(keys.filter((key) => !key.startsWith(userId))).toEqual([]);
});

test('signing in as another user asks before the key of the first one is removed', async () => {
  await using device = await product.signIn('fay');
  await using agent = await device.newAgent();
  const conversation = await agent.ask('May I?');
  await withExpertKey(device);
  const page = await device.open(`/requests/${conversation.requestId}`);
  await box(page).waitFor();
  const { userId } = await device.call<{ userId: string }>('GET', '/api/me');
  const signIn = (user: string) =>
    device.context.request.post('/auth/dev', { form: { user }, maxRedirects: 0 });
  const question = page.getByText('This browser has the encryption key of another user.');
  const hasRoot = async () => (await readStoredKeys(page)).some((key) => key.endsWith('/expert-root'));

  await signIn('gil');
  await page.goto('/dashboard/requests');
  await question.waitFor();
  expect(await hasRoot()).toBe(true);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Stay signed in' }).click();
  await page.getByRole('button', { name: 'Keep that key' }).click();
  await page.getByRole('heading', { name: 'No requests yet' }).waitFor();
  expect(await hasRoot()).toBe(true);
  // It asks only once.
  await page.reload();
  await page.getByRole('heading', { name: 'No requests yet' }).waitFor();

  // The first user continues without the recovery code.
  await signIn('fay');
  await page.goto(`/dashboard/requests/${conversation.requestId}`);
  await box(page).waitFor();

  await signIn('hal');
  await page.goto('/dashboard/requests');
  await question.waitFor();
  await page.getByRole('button', { name: 'Remove it' }).click();
  await page.getByRole('heading', { name: 'No requests yet' }).waitFor();
  expect((await readStoredKeys(page)).filter((key) => key.startsWith(userId))).toEqual([]);
  expect(await hasRoot()).toBe(false);
});

test('the owner is informed when a program has replaced the key', async () => {
  await using device = await product.signIn('ivy');
  await using agent = await device.newAgent();
  const conversation = await agent.ask('May I?');
  await withExpertKey(device);
  const page = await device.open(`/requests/${conversation.requestId}`);
  await box(page).waitFor();
  const notice = page.getByText('Your encryption key was replaced, and not in this browser.');
  expect(await notice.count()).toBe(0);
  const apiKey = await makeProviderKey(device);
  const { headers } = await fetch(`${product.relay.gatewayUrl}/api/v1/vault`, {
    headers: { 'x-api-key': apiKey },
  });
  const replaces = headers.get('etag') ?? '';
  await callVault(apiKey, await sealVault(makeRoot(), await makeRecoveryCode()), replaces);
  await page.goto('/dashboard/requests');
  await notice.waitFor();
  await page.getByRole('button', { name: 'It was me' }).click();
  await notice.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('link', { name: /May I/ }).waitFor();
  expect(await notice.count()).toBe(0);
});
