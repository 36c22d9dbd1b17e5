import { createRelay } from '@expert-relay/sdk';
import { expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { checkAccessibility } from './setup/check-accessibility.ts';
import type { TestAgent } from './setup/open-product.ts';
import { useProduct } from './setup/use-product.ts';

/* The list, limited to one agent or tag. */

const product = useProduct();

const ask = (agent: TestAgent, question: string, tags: readonly string[] = []) =>
  agent.askPlainly({ question, plaintext: question, tags });
const rowOf = (page: Page, question: string): Locator =>
  page.locator('[data-request]').filter({ hasText: question });
const tabOf = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Filters' }).getByRole('link', { name });
const chipOf = (page: Page, name: string): Locator =>
  page.getByRole('list', { name: 'Limited to' }).getByRole('link', { name });
const paramsOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);

/** Waits until the list has exactly these requests. */
async function untilListed(page: Page, questions: readonly string[]): Promise<void> {
  for (const question of questions) await rowOf(page, question).waitFor();
  await page.locator(`li[aria-setsize="${questions.length}"]`).first().waitFor();
}

test('a click on a tag limits the list at the relay, and opens no request; the address keeps it', async () => {
  await using device = await product.signIn('tags');
  await using agent = await device.newAgent();
  const { requestId } = await ask(agent, 'The oldest?', ['50% & more']);
  // More than the first page of the list.
  for (let count = 1; count <= 42; count++) await ask(agent, `Another ${count}?`, ['any']);
  await ask(agent, 'The newest?', ['50% & more', 'any']);
  const page = await device.open();
  await rowOf(page, 'The newest?').locator('[data-tag]', { hasText: '50%' }).click();
  await untilListed(page, ['The newest?', 'The oldest?']);
  expect(new URL(page.url()).pathname).toBe('/dashboard/requests');
  expect(paramsOf(page)).toEqual({ tag: '50% & more' });
  await tabOf(page, 'Waiting').getByText('2', { exact: true }).waitFor();
  expect(await checkAccessibility(page)).toEqual([]);

  // What comes, and what is answered, is right at once.
  await ask(agent, 'Without it?', ['50%']);
  await ask(agent, 'With it?', ['50% & more']);
  await untilListed(page, ['With it?', 'The newest?', 'The oldest?']);
  await device.call('POST', `/api/requests/${requestId}/messages`, { plaintext: 'Yes.' });
  await untilListed(page, ['With it?', 'The newest?']);
  await tabOf(page, 'Answered').click();
  await untilListed(page, ['The oldest?']);
  await page.getByRole('searchbox').fill('NEWEST');
  await untilListed(page, ['The newest?']);
  await page.getByRole('searchbox').fill('');
  await untilListed(page, ['The oldest?']);

  await page.reload();
  await untilListed(page, ['The oldest?']);
  await tabOf(page, 'All').click();
  await untilListed(page, ['With it?', 'The newest?', 'The oldest?']);
  await page.goBack();
  await untilListed(page, ['The oldest?']);
  await page.goBack();
  await untilListed(page, ['With it?', 'The newest?']);
  await chipOf(page, 'Remove the filter: Tag 50% & more').click();
  await rowOf(page, 'Another 42?').waitFor();
  expect(paramsOf(page)).toEqual({});
  await page.goBack();
  await untilListed(page, ['With it?', 'The newest?']);
  expect(device.problems).toEqual([]);
});

test('the name of an agent leads to all that it asked: with the keyboard from a conversation, and to its key', async () => {
  await using device = await product.signIn('agents');
  await using builder = await device.newAgent('build agent');
  await using deployer = await device.newAgent('deploy key');
  await ask(builder, 'Which branch?');
  const { requestId } = await ask(deployer, 'Which host?', ['any']);
  const named = createRelay({
    url: product.relay.gatewayUrl,
    apiKey: deployer.apiKey,
    agentName: 'Deployer',
  });
  await named.ask({ question: 'Which region?' });
  named.stop();
  await device.call('POST', `/api/requests/${requestId}/messages`, { plaintext: 'The second.' });
  const page = await device.open();
  await rowOf(page, 'Which branch?').getByText('build agent').click();
  await untilListed(page, ['Which branch?']);
  await chipOf(page, 'Remove the filter: Agent build agent').press('Enter');
  await untilListed(page, ['Which region?', 'Which branch?']);

  await page.keyboard.press('j');
  const name = page
    .getByRole('heading', { level: 1 })
    .getByRole('link', { name: 'Deployer (key: deploy key)' });
  await name.focus();
  await page.keyboard.press('Enter');
  await untilListed(page, ['Which region?', 'Which host?']);
  await page.getByText('Calls itself Deployer. Last asked just now, encrypted.').waitFor();
  await page.getByRole('heading', { name: 'Answered' }).waitFor();
  expect(paramsOf(page)).toMatchObject({ filter: 'all', keyId: expect.any(String) });
  // The conversation stays open beside the list.
  expect(await name.count()).toBe(1);
  expect(await checkAccessibility(page)).toEqual([]);

  await page.getByRole('link', { name: 'Its key' }).click();
  await page.getByRole('heading', { name: 'Agent keys' }).waitFor();
  await page.locator('li:focus').getByText('deploy key', { exact: true }).waitFor();
  expect(device.problems).toEqual([]);
});

test('a link to an agent without requests shows an empty list, and one that is damaged says so', async () => {
  await using device = await product.signIn('nothing');
  await using agent = await device.newAgent();
  await ask(agent, 'Which one?');
  const page = await device.open(`/requests?keyId=${crypto.randomUUID()}&filter=all`);
  await page.getByText('No such request here.').waitFor();
  await device.open('/requests?keyId=damaged');
  await page.getByText('Your requests could not be read.').waitFor();
  await page.getByRole('link', { name: 'Remove the filter: Agent' }).click();
  await rowOf(page, 'Which one?').waitFor();
});

test('on a phone a row opens its request wherever it is tapped, and the conversation has the filters', async () => {
  await using device = await product.signIn('phone', {
    viewport: { width: 360, height: 640 },
    hasTouch: true,
  });
  await using agent = await device.newAgent('build agent');
  await ask(agent, 'Which branch?', ['release']);
  await ask(agent, 'Which host?', ['any']);
  const page = await device.open();
  const tag = await rowOf(page, 'Which branch?').locator('[data-tag]').boundingBox();
  if (!tag) throw new Error('The tag is not shown.');
  await page.touchscreen.tap(tag.x + tag.width / 2, tag.y + tag.height / 2);
  await page.getByRole('link', { name: 'release' }).tap();
  await untilListed(page, ['Which branch?']);
  expect(paramsOf(page)).toEqual({ tag: 'release' });
  expect((await rowOf(page, 'Which branch?').boundingBox())?.height).toBe(64);
  await rowOf(page, 'Which branch?').tap();
  await page.getByRole('heading', { level: 1 }).getByRole('link', { name: 'build agent' }).tap();
  await untilListed(page, ['Which host?', 'Which branch?']);
  expect(await checkAccessibility(page)).toEqual([]);
});
