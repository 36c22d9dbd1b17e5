import { startWebhookReceiver } from '../../e2e/webhook-receiver.ts';
import { button, type OnState, type Product } from './open-product.ts';

/** Webhooks beside a key, in all states. */
export async function walkWebhooks(product: Product, onState: OnState): Promise<void> {
  await using device = await product.signIn('webhooks');
  await using _agent = await device.newAgent('deploy agent');
  await using receiver = await startWebhookReceiver();
  const page = await device.open('/keys');
  await button(page, 'Webhooks: deploy agent').click();
  await button(page, 'Add a webhook').waitFor();
  await onState('webhooks-none', page);
  await button(page, 'Add a webhook').click();
  await page.getByRole('textbox', { name: 'Address' }).fill(receiver.url);
  await onState('webhook-add', page);
  await button(page, 'Add').click();
  await button(page, 'I have copied it').waitFor();
  await onState('webhook-secret', page);
  await button(page, 'I have copied it').click();
  await page.getByRole('button', { name: /^Send a test/ }).click();
  await page.getByText('Delivered').waitFor();
  receiver.answer(500);
  await page.getByRole('button', { name: /^Send a test/ }).click();
  await page.getByText('The receiver answered 500.').waitFor();
  await onState('webhook-deliveries', page);
  await page.getByRole('button', { name: /^New secret: http/ }).click();
  await onState('webhook-rotate', page);
  await page.getByRole('button', { name: /^Remove: http/ }).click();
  await onState('webhook-remove', page);
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

const channelIn = (at: number, state: object) => ({
  id: `00000000-0000-4000-8000-00000000000${at}`,
  kind: 'email',
  label: null,
  address: 'ada@example.com',
  enabled: true,
  confirmed: true,
  delaySeconds: 300,
  showQuestion: false,
  createdAt: minutesAgo(5_000),
  lastDelivery: null,
  ...state,
});

/** States of channels, of which some take days to arise. */
const channels = [
  channelIn(1, { lastDelivery: { state: 'delivered', at: minutesAgo(42) } }),
  channelIn(2, { address: 'ada@work.example.com', confirmed: false }),
  channelIn(3, {
    kind: 'push',
    label: 'Safari on iPhone',
    address: 'web.push.apple.com',
    delaySeconds: 0,
    showQuestion: true,
    lastDelivery: { state: 'delivered', at: minutesAgo(4) },
  }),
  channelIn(4, {
    kind: 'chat',
    label: '#on-call',
    address: 'hooks.slack.com',
    delaySeconds: 900,
    failingSince: minutesAgo(4_620),
    lastDelivery: { state: 'failed', reason: 'timed_out', at: minutesAgo(20) },
  }),
  channelIn(5, {
    kind: 'chat',
    address: 'chat.example.com',
    enabled: false,
    offReason: 'failing',
    failingSince: minutesAgo(8_000),
  }),
  channelIn(6, { address: 'old@example.com', enabled: false, confirmed: false, offReason: 'unsubscribed' }),
  channelIn(7, { kind: 'chat', label: '#old', enabled: false, offReason: 'gone' }),
  channelIn(8, { kind: 'push', label: 'Firefox on Linux', showQuestion: true, sessionTimedOut: true }),
  channelIn(9, { kind: 'chat', label: '#quiet', enabled: false, offReason: 'owner' }),
  channelIn(10, { kind: 'push', label: 'Edge on Windows', enabled: false, offReason: 'gone' }),
  channelIn(11, { address: undefined, enabled: false, offReason: 'unreadable' }),
];

const deliveries = [
  { state: 'waiting', attempts: 0, nextAttemptAt: minutesAgo(-4) },
  {
    state: 'waiting',
    attempts: 3,
    nextAttemptAt: minutesAgo(-60),
    reason: 'refused',
    statusCode: 503,
    durationMs: 41,
  },
  { state: 'sending', attempts: 1 },
  {
    state: 'delivered',
    attempts: 1,
    endedAt: minutesAgo(3),
    statusCode: 200,
    durationMs: 1_204,
    response: 'ok',
  },
  // Its owner has switched the channel off, and later the relay.
  { state: 'cancelled', attempts: 0, endedAt: minutesAgo(4) },
  { state: 'failed', attempts: 0, endedAt: minutesAgo(5), reason: 'endpoint_off' },
  {
    state: 'failed',
    attempts: 10,
    createdAt: minutesAgo(4_620),
    endedAt: minutesAgo(20),
    reason: 'timed_out',
    durationMs: 10_000,
  },
].map((delivery, at) => ({
  id: String(at),
  type: 'request.created',
  refCode: 'HS-7K3M9QXA',
  createdAt: minutesAgo(at),
  ...delivery,
}));

/** The settings of notifications, in states of the relay and of the browser. */
export async function walkNotifications(product: Product, onState: OnState): Promise<void> {
  await using device = await product.signIn('notifications', { permissions: ['notifications'] });
  const state = { pushKey: null, canEmail: true, pausedUntil: null, quietHours: null, channels: [] };
  const quietHours = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' };
  const openWith = async (change: object) => {
    await device.context.unroute('**/api/notifications');
    await device.context.route('**/api/notifications', (route) =>
      route.fulfill({ json: { ...state, ...change } }),
    );
    const page = await device.open('/settings');
    await page.getByRole('heading', { name: 'Notifications' }).scrollIntoViewIfNeeded();
    await page.getByText('This browser', { exact: true }).waitFor();
    return page;
  };
  const page = await openWith({});
  await onState('notifications-off', page);
  await button(page, 'Switch on').click();
  await button(page, 'Switch off').waitFor();
  await onState('notifications-open-page', page);
  await openWith({ channels, quietHours });
  await onState('notifications-channels', page);
  await button(page, 'Change: #on-call').click();
  await button(page, 'Change: #on-call').scrollIntoViewIfNeeded();
  await onState('notifications-change', page);
  await page.route('**/deliveries?*', (route) => route.fulfill({ json: { deliveries } }));
  await button(page, 'Deliveries: #on-call').click();
  await page.getByText('Failed, will be repeated').waitFor();
  await onState('notifications-deliveries', page);
  await button(page, 'Remove: #on-call').click();
  await button(page, 'Remove it').waitFor();
  await onState('notifications-remove', page);
  await button(page, 'Add an email address').click();
  await onState('notifications-add-email', page);
  await button(page, 'Cancel').last().click();
  await button(page, 'Add a chat').click();
  await onState('notifications-add-chat', page);
  await button(page, 'Cancel').last().click();
  await button(page, 'Change: quiet hours').click();
  await onState('notifications-quiet-hours', page);
  await button(page, 'Pause all channels').click();
  await page.getByRole('combobox', { name: 'How long' }).selectOption('Until another time');
  await onState('notifications-pause', page);
  await openWith({ channels, pausedUntil: new Date(Date.now() + 86_400_000).toISOString() });
  await onState('notifications-paused', page);
  await device.open('/confirm-email?channel=00000000-0000-4000-8000-000000000001&token=x');
  await button(page, 'Confirm the address').waitFor();
  await onState('confirm-email', page);
  await using agent = await device.newAgent('deploy agent');
  for (const question of ['May I remove the lock file?', 'Which region?']) {
    const { requestId } = await agent.askPlainly({ question, plaintext: question });
    await device.call('POST', `/api/requests/${requestId}/messages`, { plaintext: 'Yes.' });
  }
  await agent.askPlainly({ question: 'Shall I retry the upload?', plaintext: 'It failed twice.' });
  await page.evaluate(`localStorage.removeItem('expert-relay:preferences')`);
  await device.open('/requests');
  await page.getByRole('region', { name: 'Notifications' }).waitFor();
  await onState('notifications-offer', page);
}
