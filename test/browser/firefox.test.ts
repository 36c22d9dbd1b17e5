import { type Constellation, startConstellation } from '@expert-relay/constellation';
import { createRelay } from '@expert-relay/sdk';
import { eventually } from '@expert-relay/testkit';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { findPrograms } from '../../scripts/servers/find-program.ts';
import { testUnless } from '../../scripts/testing/test-unless.ts';
import { firefox } from '../tools.ts';
import { type FirefoxPage, openFirefox } from './setup/open-firefox.ts';

/* What an expert cannot do without, in Firefox. It is not fetched, since its package has 80 MB. */

const [program] = await findPrograms(firefox);
const test = testUnless(
  program ? undefined : `${firefox.title} ${firefox.minimum} or later is not installed`,
);

let product: Constellation | undefined;
beforeAll(async () => {
  if (program) product = await startConstellation();
});
afterAll(async () => await product?.stop());

const element = (role: string, name: string) => ({ type: 'accessibility', value: { role, name } }) as const;
const button = (name: string) => element('button', name);
const thanks = { type: 'xpath', value: '//main//*[normalize-space(.)="Thank you."]' } as const;
const patiently = { timeoutMs: 120_000 };
const textOfBox = `document.querySelector('textarea')?.value ?? ''`;

/** Writes an answer, and presses until it is taken: while the end of a text was not in view for a second, it is not. */
async function answer(page: FirefoxPage, text: string): Promise<void> {
  await page.click(element('textbox', 'Answer'));
  await page.type(text);
  expect(await page.evaluate(textOfBox)).toBe(text);
  await eventually('the answer is taken', async () => {
    await page.type('\uE009\uE007');
    return (await page.evaluate(textOfBox)) === '';
  });
}

test('Firefox: sign in, answer encrypted and plainly, approve, sign out, and read with the recovery code', async () => {
  if (!program || !product) throw new Error('Firefox and the relay were not started.');
  const url = product.gatewayUrl;
  await using page = await openFirefox(program);
  await page.goto(`${url}/dashboard`);
  await page.click(button('Sign in as dev'));
  await page.until(element('heading', 'No requests yet'));
  const { key: apiKey } = await page.evaluate<{ key: string }>(`fetch('/api/keys', {
    method: 'POST', headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'build agent', kind: 'consumer' }),
  }).then((answer) => answer.json())`);
  const agent = createRelay({ url, apiKey });

  const encrypted = await agent.ask({ question: 'May I remove the lock file?' });
  await page.click({ type: 'css', value: '[data-request]' });
  await page.click(element('textbox', 'Answer'));
  await page.type('Yes, it is stale.');
  await page.clickUntil(button('Send'), { type: 'css', value: '[data-testid=recovery-code]' });
  const shown = await page.evaluate<string>(
    `document.querySelector('[data-testid=recovery-code]').innerText`,
  );
  const code = shown.replaceAll(/\s/g, '');
  await page.clickUntil(button('I have kept it'), element('textbox', 'Last group'));
  await page.click(element('textbox', 'Last group'));
  await page.type(code.slice(-4));
  await page.click(button('Use this key'));
  expect((await encrypted.waitForAnswer(patiently)).text).toBe('Yes, it is stale.');
  await encrypted.send('Thank you.');
  await page.until(thanks);

  const plain = await agent.ask({ question: 'And the cache?', encrypted: false, plaintext: 'The cache.' });
  await page.goto(`${url}/dashboard/requests/${plain.requestId}`);
  await answer(page, 'Leave it.');
  expect((await plain.waitForAnswer(patiently)).text).toBe('Leave it.');

  const form = { type: 'object', properties: {} } as const;
  const approval = await agent.ask({ question: 'May I deploy?', form });
  await page.goto(`${url}/dashboard/requests/${approval.requestId}`);
  await page.until({ type: 'css', value: 'main [data-form]' });
  await page.clickUntil(button('Approve'), { type: 'css', value: 'main:not(:has([data-form]))' });
  expect((await approval.waitForAnswer(patiently)).answer).toMatchObject({ action: 'accept' });

  await page.click(button('Sign out'));
  await page.click({ type: 'css', value: '[aria-label="Sign out of this browser?"] button' });
  await page.click(button('Sign in as dev'));
  await page.until(element('heading', 'Inbox'));
  await page.goto(`${url}/dashboard/requests/${encrypted.requestId}`);
  await page.click(element('textbox', 'Recovery code'));
  await page.type(code);
  await page.clickUntil(button('Open my key'), thanks);
  agent.stop();
});
