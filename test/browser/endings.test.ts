import { eventually } from '@expert-relay/testkit';
import { describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest as test } from './setup/browser-test.ts';
import { checkAccessibility } from './setup/check-accessibility.ts';
import { findSidewaysScrolling } from './setup/check-layout.ts';
import { chooseAction } from './setup/choose-action.ts';
import { button, newUser } from './setup/open-product.ts';
import { useProduct } from './setup/use-product.ts';

/* What agents and experts say about a request beside its messages: tags, and why it has ended. */

const product = useProduct();
const narrow = { viewport: { width: 360, height: 740 } };
const hidden = 'It is \u202egone.\u200b';
const shown = 'It is <U+202E>gone.<U+200B>';

async function look(page: Page): Promise<void> {
  expect(await checkAccessibility(page)).toEqual([]);
  expect(await findSidewaysScrolling(page)).toEqual([]);
}

test('tags are shown in rows and above the conversation, and are searched', async () => {
  await using device = await product.signIn(newUser(), narrow);
  await using agent = await device.newAgent('build agent');
  const ask = (question: string, tags: readonly string[]) =>
    agent.askPlainly({ question, plaintext: question, tags });
  const many = Array.from({ length: 10 }, (_, at) => `${at} ${'long '.repeat(7)}tag`);
  await ask('Without tags?', []);
  await ask('One?', ['deploy']);
  await ask('Two?', ['deploy', 'EU west']);
  const { requestId } = await ask('Ten?', many);
  const page = await device.open();
  const row = (question: string) => page.getByRole('link', { name: question });
  await row('Two?').getByText('EU west').waitFor();
  expect(await row('Without tags?').getByText('Tags:').count()).toBe(0);
  await look(page);
  await page.getByRole('searchbox', { name: 'Search requests' }).fill('eu WEST');
  await row('One?').waitFor({ state: 'detached' });
  await row('Two?').waitFor();

  await device.context.route(new RegExp(`/api/requests/${requestId}`), async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), tags: [hidden, ...many.slice(1)] } });
  });
  await device.open(`/requests/${requestId}`);
  await page.locator('[data-pane]').getByText(shown).waitFor();
  await look(page);
  expect(device.problems).toEqual([]);
});

describe.each([
  ['encrypted', ' (not encrypted)'],
  ['plain', ''],
])('in an %s conversation', (protection, remark) => {
  const isEncrypted = protection === 'encrypted';
  const question = 'May I?';

  test('the expert may give a reason for its end, and the agent gets it', async () => {
    await using device = await product.signIn(newUser(), narrow);
    await using agent = await device.newAgent('build agent');
    const conversation = await agent.relay.ask(
      isEncrypted ? { question } : { question, encrypted: false, plaintext: question },
    );
    const page = await device.open(`/requests/${conversation.requestId}`);
    await chooseAction(page, 'End request');
    await page.getByText('The agent sees it.').waitFor();
    expect(await page.getByText('the relay can read it').count()).toBe(isEncrypted ? 1 : 0);
    await look(page);
    await page.getByRole('textbox', { name: 'Reason' }).fill('  Ask the team of payments. ');
    await button(page, 'End it now').click();
    await page
      .getByText(`Ended by you${remark}: “Ask the team of payments.”`)
      .or(page.getByText(`Ended by you${remark}: Ask the team of payments.`))
      .waitFor();
    await eventually('the agent has the reason', async () => {
      await conversation.refresh();
      return conversation.closeReason === 'Ask the team of payments.';
    });
    await page.reload();
    await page.getByText(`Ended by you${remark}: `).waitFor();
    expect(device.problems).toEqual([]);
  });

  test('the reason of the agent is shown in the line of the end, as it is', async () => {
    await using device = await product.signIn(newUser(), narrow);
    await using agent = await device.newAgent('build agent');
    const conversation = await agent.relay.ask(
      isEncrypted ? { question } : { question, encrypted: false, plaintext: question },
    );
    const page = await device.open(`/requests/${conversation.requestId}`);
    await button(page, 'More actions').waitFor();
    await conversation.close({ reason: `${hidden}\n**<b>${'Long '.repeat(80)}` });
    const line = page.getByText(`Ended by the agent${remark}: `);
    await line.waitFor();
    expect(await line.locator('q').textContent()).toContain(`${shown}\n**<b>Long`);
    await look(page);
    expect(device.problems).toEqual([]);
  });
});
