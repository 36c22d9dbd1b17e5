import { eventually } from '@expert-relay/testkit';
import { expect } from '@jest/globals';
import { startWebhookReceiver, type WebhookReceiver } from '../e2e/webhook-receiver.ts';
import { browserTest as test } from './setup/browser-test.ts';
import { checkAccessibility } from './setup/check-accessibility.ts';
import { button, newUser } from './setup/open-product.ts';
import { untilAnnounced } from './setup/until-announced.ts';
import { useProduct } from './setup/use-product.ts';

const product = useProduct();

const types = ({ received }: WebhookReceiver) => received.map(({ event }) => event.type);
const signatures = ({ received }: WebhookReceiver) =>
  String(received.at(-1)?.headers['webhook-signature']).split(' ').length;

test('a webhook of an agent: add, test, send again, change, rotate, switch off and on, remove', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent('build agent');
  await using receiver = await startWebhookReceiver();
  const page = await device.open('/keys');
  await button(page, 'Webhooks: build agent').click();
  await button(page, 'Add a webhook').click();
  await button(page, 'Add').click();
  await page.getByText('Enter an address such as').waitFor();
  await page.getByRole('textbox', { name: 'Address' }).fill('https://10.1.2.3/hook');
  await page.getByRole('checkbox', { name: /A request has expired/ }).uncheck();
  await button(page, 'Add').click();
  // The relay says what is wrong with the address.
  await page.getByRole('alert').filter({ hasText: 'Expected' }).waitFor();
  await page.getByRole('textbox', { name: 'Address' }).fill(receiver.url);
  await button(page, 'Add').click();
  const secret = page.getByText(/^whsec_[A-Za-z0-9+/]{43}=$/);
  await secret.waitFor();
  const shown = await secret.innerText();
  await button(page, 'I have copied it').click();
  await page.getByText('1 webhook').waitFor();
  expect(await page.content()).not.toContain(shown);

  await button(page, `Send a test: ${receiver.url}`).click();
  await page.getByText('Delivered').waitFor();
  receiver.answer(500);
  await button(page, `Send a test: ${receiver.url}`).click();
  await page.getByText('The receiver answered 500.').waitFor();
  receiver.answer(204);
  await button(page, 'Send again: Test').first().click();
  await eventually('both are delivered', async () => (await page.getByText('Delivered').count()) === 2);
  expect(types(receiver)).toEqual(['webhook.test', 'webhook.test', 'webhook.test']);
  expect(receiver.received[2]?.id).toBe(receiver.received[1]?.id);

  const { requestId } = await agent.askPlainly({ question: 'May I?', plaintext: 'Now.' });
  await device.call('POST', `/api/requests/${requestId}/messages`, { plaintext: 'Yes.' });
  await eventually('the agent was called', async () => types(receiver).includes('message.created'));

  await button(page, `New secret: ${receiver.url}`).click();
  await button(page, 'Make a new secret').click();
  await secret.waitFor();
  expect(await secret.innerText()).not.toBe(shown);
  await button(page, 'I have copied it').click();
  await button(page, `Send a test: ${receiver.url}`).click();
  await eventually('both secrets sign', async () => signatures(receiver) === 2);

  await button(page, `Change: ${receiver.url}`).click();
  await page.getByRole('checkbox', { name: /You have begun/ }).uncheck();
  await button(page, 'Save').click();
  await untilAnnounced(page, 'Saved');
  const { webhooks } = await device.call<{ webhooks: { events: string[] }[] }>('GET', '/api/webhooks');
  expect(webhooks.map(({ events }) => events)).toEqual([['message.created', 'request.closed']]);

  await button(page, `Switch off: ${receiver.url}`).click();
  await button(page, `Switch on: ${receiver.url}`).waitFor();
  expect(await button(page, `Send a test: ${receiver.url}`).count()).toBe(0);
  await button(page, `Switch on: ${receiver.url}`).click();
  await button(page, `Remove: ${receiver.url}`).click();
  await button(page, 'Remove it').click();
  await button(page, 'Add a webhook').and(page.locator(':focus')).waitFor();
  expect(await device.call('GET', '/api/webhooks')).toEqual({ webhooks: [] });
  expect(device.problems).toEqual([]);
});

test('a webhook of the expert is in the settings, and not among those of keys', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent('build agent');
  await using receiver = await startWebhookReceiver();
  const page = await device.open('/settings');
  await button(page, 'Add a webhook').click();
  await page.getByRole('textbox', { name: 'Address' }).fill(receiver.url);
  await page.getByRole('checkbox', { name: /An agent asks/ }).waitFor();
  await button(page, 'Add').click();
  await button(page, 'I have copied it').click();
  await agent.askPlainly({ question: 'May I?', plaintext: 'Now.' });
  await eventually('the expert was called', async () => types(receiver).includes('request.created'));
  await button(page, `Deliveries: ${receiver.url}`).click();
  await page.getByText('New request', { exact: true }).waitFor();
  await page.goto('/dashboard/keys');
  await button(page, 'Webhooks: build agent').click();
  await button(page, 'Add a webhook').waitFor();
  expect(await page.getByText(receiver.url).count()).toBe(0);
  expect(device.problems).toEqual([]);
});

test('the inbox reports what the relay has switched off, until the notice is closed', async () => {
  await using device = await product.signIn(newUser());
  await using agent = await device.newAgent('build agent');
  await agent.askPlainly({ question: 'May I?', plaintext: 'Now.' });
  await using receiver = await startWebhookReceiver();
  receiver.answer(410);
  const { id } = await device.call<{ id: string }>('POST', '/api/webhooks', { url: receiver.url });
  const isOn = async () => {
    const { webhooks } = await device.call<{ webhooks: { enabled: boolean }[] }>('GET', '/api/webhooks');
    return webhooks[0]?.enabled === true;
  };
  const switchOff = async () => {
    await device.call('POST', `/api/webhooks/${id}/test`);
    await eventually('it is off', async () => !(await isOn()));
  };
  await switchOff();
  const page = await device.open('/requests');
  const notice = page.getByRole('region', { name: 'Switched off' });
  await notice.waitFor();
  expect(await checkAccessibility(page)).toEqual([]);
  await button(page, 'Close').click();
  await notice.waitFor({ state: 'detached' });
  await Promise.all([page.waitForResponse('**/api/webhooks'), page.reload()]);
  await page.getByRole('region', { name: 'Requests' }).waitFor();
  expect(await notice.count()).toBe(0);
  // Once more is another time.
  await device.call('PUT', `/api/webhooks/${id}`, { enabled: true });
  await switchOff();
  await page.reload();
  await notice.waitFor();
  await notice.getByRole('link', { name: 'Settings' }).click();
  await page.getByText('Switched off: the receiver answered 410').waitFor();
  expect(device.problems).toEqual([]);
});
