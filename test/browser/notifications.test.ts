import { eventually } from '@expert-relay/testkit';
import { afterAll, expect } from '@jest/globals';
import pg from 'pg';
import { startMailServer } from '../e2e/mail-server.ts';
import { makePushKeys, startPushService } from '../e2e/push-service.ts';
import { startWebhookReceiver } from '../e2e/webhook-receiver.ts';
import { browserTest as test } from './setup/browser-test.ts';
import { decryptPush, subscribeAt } from './setup/fake-subscription.ts';
import { button, type Device, newUser } from './setup/open-product.ts';
import { openPush } from './setup/open-push.ts';
import { signOut } from './setup/sign-out.ts';
import { untilAnnounced } from './setup/until-announced.ts';
import { useProduct } from './setup/use-product.ts';

const makePushKey = () => {
  const keys = makePushKeys();
  return { public: keys.public.toString('base64url'), private: keys.private.toString('base64url') };
};
const pushKey = makePushKey();
const mailServer = await startMailServer();
const pushService = await startPushService();
afterAll(async () => {
  await mailServer[Symbol.asyncDispose]();
  await pushService[Symbol.asyncDispose]();
});

const product = useProduct({
  own: {
    notifier: {
      RELAY_VAPID_KEYS: pushKey.private,
      RELAY_PUSH_HOSTS: '127.0.0.1',
      RELAY_SMTP_URL: mailServer.url,
      RELAY_EMAIL_FROM: 'Relay <relay@example.com>',
    },
  },
});

const preferenceOf = async ({ page }: Device): Promise<string | undefined> =>
  JSON.parse(await page.evaluate<string>('localStorage.getItem("expert-relay:preferences") ?? "{}"'))
    .notifications;

interface Channel {
  readonly id: string;
  readonly pushKey: string;
  readonly subscriptionDigest: string;
  readonly sessionTimedOut?: true;
  readonly ofThisSession: boolean;
  readonly enabled: boolean;
  readonly offReason?: string;
  readonly label: string;
  readonly delaySeconds: number;
  readonly showQuestion: boolean;
  readonly confirmed: boolean;
}
const channelsOf = async (device: Device) =>
  (await device.call<{ channels: Channel[] }>('GET', '/api/notifications')).channels;

/** The next message that the push service gets, decrypted. */
async function nextPush(): Promise<string> {
  const count = pushService.received.length;
  const received = await eventually('a push message', async () => pushService.received[count]);
  return decryptPush(pushService, received);
}

test('when a browser cannot show notifications, the settings say why and what to do', async () => {
  await using device = await product.signIn(newUser());
  const states: readonly (readonly [script: string, text: string])[] = [
    ['delete globalThis.Notification', 'This browser does not offer notifications here.'],
    [
      `delete globalThis.Notification; Object.defineProperty(navigator, 'platform', { value: 'iPhone' })`,
      'On iPhone and iPad, notifications need the home screen.',
    ],
    [
      `Object.defineProperty(Notification, 'permission', { value: 'denied' })`,
      'This browser does not allow notifications here.',
    ],
  ];
  for (const [script, text] of states) {
    await using other = await product.signIn(newUser());
    await other.context.addInitScript(script);
    const page = await other.open('/settings');
    await page.getByText(text).waitFor();
    expect(other.problems).toEqual([]);
  }
  await device.context.grantPermissions(['notifications']);
  await device.context.addInitScript(
    `ServiceWorkerContainer.prototype.register = () => Promise.reject(new Error('Blocked.'))`,
  );
  const page = await device.open('/settings');
  await button(page, 'Switch on').click();
  await page.getByText('This browser could not prepare notifications').waitFor();
  await button(page, 'Switch on').waitFor();
  expect(await preferenceOf(device)).not.toBe('on');
  expect(device.problems).toEqual([]);
});

test('where the relay sends no push messages, an open page shows notifications', async () => {
  await using device = await product.signIn(newUser(), { permissions: ['notifications'] });
  await using agent = await device.newAgent('build agent');
  await device.context.route('**/api/notifications', (route) => route.fulfill({ status: 404, json: {} }));
  const { page } = device;
  // What is asked before the stream is open is no news.
  const stream = page.waitForResponse((response) => response.url().includes('topic='));
  const push = await openPush(device);
  await untilAnnounced(page, 'Notifications are on.');
  expect(await preferenceOf(device)).toBe('on');
  await page.getByRole('switch', { name: 'Show the question' }).check();
  expect(await preferenceOf(device)).toBe('with-question');
  await stream;
  await push.hidePages();
  const { requestId } = await agent.askPlainly({ question: 'May I?', plaintext: 'May I?' });
  const shown = await eventually('a notification', () => push.shown(requestId));
  expect(shown).toMatchObject({
    title: 'build agent asks a question',
    body: expect.stringContaining('May I?'),
  });
  await button(page, 'Switch off').click();
  await button(page, 'Switch on').waitFor();
  expect(await preferenceOf(device)).toBe('off');
});

test('a push message shows a notification, which leads to the conversation in an open page or in a new one', async () => {
  await using device = await product.signIn(newUser(), { permissions: ['notifications'] });
  await subscribeAt(device.context, pushService);
  await using agent = await device.newAgent('build agent');
  const { requestId, refCode } = await agent.askPlainly({ question: 'May I?', plaintext: 'Now.' });
  const push = await openPush(device);
  const page = await device.open('/requests');
  const request = { type: 'request', event: 'request.created', requestId, refCode };

  await push.deliver({ ...request, title: 'An agent asks a question', question: null });
  expect(await push.untilShown(requestId)).toMatchObject({
    title: 'An agent asks a question',
    body: refCode,
    // The page is visible.
    silent: true,
  });
  await push.hidePages();
  await push.deliver({
    ...request,
    event: 'message.created',
    title: 'deploy has written again',
    question: `${'a'.repeat(199)}\u{1f511}`,
  });
  const replaced = await eventually('the notification is replaced', async () => {
    const shown = await push.shown(requestId);
    return shown?.title === 'deploy has written again' ? shown : undefined;
  });
  expect(replaced).toMatchObject({ body: `${refCode}\n${'a'.repeat(199)}…`, silent: false });
  expect(await push.count()).toBe(1);

  // The page is still loading.
  let isClicked = false;
  await page.route('**/api/me', async (route) => {
    await eventually('the click', async () => isClicked);
    await route.continue();
  });
  await page.reload();
  await push.click(requestId);
  isClicked = true;
  await page.waitForURL(`**/dashboard/requests/${requestId}`);
  await page.getByText('May I?').first().waitFor();
  expect(await push.count()).toBe(0);

  const hidden = {
    title: 'deploy\u202e\nbot\u200b asks a question',
    question: 'May I?\u2800\n\u{1f469}\u200d\u{1f692} \u202eYes',
  };
  await push.deliver({ ...request, ...hidden });
  expect(await push.untilShown(requestId)).toMatchObject({
    title: 'deploy<U+202E> bot<U+200B> asks a question',
    body: `${refCode}\nMay I?<U+2800>\n\u{1f469}\u200d\u{1f692} <U+202E>Yes`,
  });
  await push.closeAll();

  // Every message shows something: otherwise browsers end the subscription.
  for (const text of [
    '',
    'no JSON',
    'null',
    '[]',
    '7',
    '{"type":"later"}',
    '{"agentName":{},"question":7}',
  ]) {
    await push.deliverText(text);
    await push.untilShown('/dashboard/requests');
    await push.closeAll();
  }
  await push.deliver({ type: 'test' });
  expect(await push.untilShown('/dashboard/settings')).toMatchObject({ title: 'Notifications work' });
  await push.closeAll();

  await push.deliver({ ...request, agentName: null, question: null });
  await push.untilShown(requestId);
  // Whatever opens the request, its notification is closed.
  await page.goto('/dashboard/requests');
  await push.untilShown(requestId);
  await page.getByRole('link', { name: /May I/ }).click();
  await eventually('no notification is left', async () => (await push.count()) === 0);

  await push.deliver({ ...request, agentName: null, question: null });
  await push.untilShown(requestId);
  await page.close();
  expect(await push.openedBy(requestId)).toEqual([`/dashboard/requests/${requestId}`]);
  expect(device.problems).toEqual([]);
});

test('notifications are offered after the first answer, until the offer is answered; the icon has the number that waits', async () => {
  await using device = await product.signIn(newUser(), { permissions: ['notifications'] });
  await device.context.addInitScript(`{
    const badges = [];
    navigator.setAppBadge = async (count) => void badges.push(count);
    globalThis.badge = () => badges.at(-1);
  }`);
  await using agent = await device.newAgent('build agent');
  const { requestId } = await agent.askPlainly({ question: 'May I?', plaintext: 'Now.' });
  await agent.askPlainly({ question: 'Another?', plaintext: 'Now.' });
  const page = await device.open('/requests');
  const badge = () => page.evaluate<number | undefined>('badge()');
  const offer = page.getByRole('region', { name: 'Notifications' });
  await eventually('two are waiting', async () => (await badge()) === 2);
  expect(await offer.count()).toBe(0);
  await device.call('POST', `/api/requests/${requestId}/messages`, { plaintext: 'Yes.' });
  await offer.waitFor();
  await eventually('one is waiting', async () => (await badge()) === 1);
  await button(page, 'Not now').click();
  await offer.waitFor({ state: 'detached' });
  await page.reload();
  await eventually('one is waiting', async () => (await badge()) === 1);
  expect(await offer.count()).toBe(0);

  await using second = await product.signIn(newUser(), { permissions: ['notifications'] });
  await using other = await second.newAgent('build agent');
  const asked = await other.askPlainly({ question: 'May I?', plaintext: 'Now.' });
  await second.call('POST', `/api/requests/${asked.requestId}/messages`, { plaintext: 'Yes.' });
  await second.open('/requests');
  await button(second.page, 'Switch on').click();
  await eventually('notifications are on', async () => (await preferenceOf(second)) === 'on');
  await untilAnnounced(second.page, 'Notifications are on while Expert Relay is open.');
  await second.page.getByRole('region', { name: 'Notifications' }).waitFor({ state: 'detached' });
});

test('push: switched on in the settings, a request reaches the browser; signing out ends it', async () => {
  const user = newUser();
  await using device = await product.signIn(user, { permissions: ['notifications'] });
  await subscribeAt(device.context, pushService);
  await using agent = await device.newAgent('build agent');
  const push = await openPush(device);
  const { page } = device;
  await untilAnnounced(page, 'Notifications are on.');
  expect(await preferenceOf(device)).toBe('push');
  expect(await channelsOf(device)).toMatchObject([
    { label: expect.stringContaining(' on '), delaySeconds: 0 },
  ]);

  const test = nextPush();
  await button(page, 'Send a test: This browser').click();
  await page.getByText('Delivered').waitFor();
  await push.deliverText(await test);
  await push.untilShown('/dashboard/settings');
  await push.closeAll();

  await button(page, 'Change: This browser').click();
  await page.getByRole('switch', { name: 'Show the question' }).check();
  await button(page, 'Save').click();
  await untilAnnounced(page, 'Saved');
  await page.goto('/dashboard/requests');
  await push.hidePages();
  const message = nextPush();
  const { requestId, refCode } = await agent.askPlainly({ question: 'May I?', plaintext: 'Now.' });
  const text = await message;
  // The page has seen it, and has shown no notification of its own.
  await page.getByRole('link', { name: /May I/ }).filter({ hasText: 'build agent' }).waitFor();
  expect(await push.count()).toBe(0);
  await push.deliverText(text);
  expect(await push.untilShown(requestId)).toMatchObject({
    title: 'build agent asks a question',
    body: `${refCode}\nMay I?`,
  });
  await push.click(requestId);
  await page.waitForURL(`**/dashboard/requests/${requestId}`);

  await push.deliverText(text);
  await push.untilShown(requestId);
  expect(device.problems).toEqual([]);
  await signOut(page);
  await page.waitForURL('**/auth/login');
  await eventually('no notification is left', async () => (await push.count()) === 0);
  expect(await page.evaluate('localStorage.getItem("test:subscription")')).toBeNull();
  await using again = await product.signIn(user);
  await eventually('the relay has removed the channel', async () => (await channelsOf(again)).length === 0);
});

test('push: a browser whose subscription, key or session has changed is registered again, and keeps its settings', async () => {
  await using device = await product.signIn(newUser(), { permissions: ['notifications'] });
  await subscribeAt(device.context, pushService);
  const push = await openPush(device);
  const { page } = device;
  await untilAnnounced(page, 'Notifications are on.');
  const [first] = await channelsOf(device);
  const settings = { delaySeconds: 60, showQuestion: true };
  await device.call('PUT', `/api/notifications/channels/${first?.id}`, settings);
  const untilRenewed = (what: string, isRenewed: (channel: Channel) => boolean) =>
    eventually(what, async () => {
      const channels = await channelsOf(device);
      const [channel] = channels;
      return channels.length === 1 && channel && isRenewed(channel) ? channel : undefined;
    });

  // The browser has lost it.
  await page.evaluate('localStorage.removeItem("test:subscription")');
  await page.reload();
  const second = await untilRenewed('a new subscription', ({ id }) => id !== first?.id);
  expect(second).toMatchObject(settings);

  // The browser has replaced it, and the worker is started for that.
  await push.worker.evaluate(`{
    const fields = { endpoint: '${pushService.origin}/of-worker', keys: ${JSON.stringify(pushService.subscribe('').keys)} };
    const event = new ExtendableEvent('pushsubscriptionchange');
    event.newSubscription = { ...fields, toJSON: () => fields };
    event.oldSubscription = { endpoint: ${await page.evaluate('JSON.stringify(JSON.parse(localStorage.getItem("test:subscription")).endpoint)')} };
    dispatchEvent(event);
  }`);
  const third = await untilRenewed('the subscription of the worker', ({ id }) => id !== second.id);
  expect(third).toMatchObject(settings);
  await page.evaluate(`{
    const known = JSON.parse(localStorage.getItem('test:subscription'));
    localStorage.setItem('test:subscription', JSON.stringify({ ...known, endpoint: '${pushService.origin}/of-worker' }));
  }`);
  await page.reload();
  await button(page, 'Send a test: This browser').waitFor();
  expect((await channelsOf(device)).map(({ id }) => id)).toEqual([third.id]);

  const address = page.url();
  const change = async (set: string) => {
    // An open page could repair it at once.
    await page.goto('about:blank');
    const database = new pg.Client(product.relay.databaseUrl);
    await database.connect();
    await database.query(`UPDATE notification_endpoints SET ${set} WHERE id = $1`, [third.id]);
    await database.end();
  };
  await change('session_ends_at = now()');
  expect(await channelsOf(device)).toMatchObject([{ sessionTimedOut: true }]);
  await page.goto(address);
  await untilRenewed('its session has not ended', ({ sessionTimedOut }) => !sessionTimedOut);

  // As after another sign-in in this browser.
  await change('session_id = gen_random_uuid()');
  expect(await channelsOf(device)).toMatchObject([{ ofThisSession: false }]);
  await page.goto(address);
  await untilRenewed('it belongs to this session', ({ ofThisSession }) => ofThisSession);

  // The key that encrypts it is lost.
  await change("sealing_key_id = 'lost'");
  expect(await channelsOf(device)).toMatchObject([{ id: third.id, offReason: 'unreadable' }]);
  await page.goto(address);
  await untilRenewed('the relay can read it', ({ offReason }) => offReason === undefined);

  const newKey = makePushKey();
  await product.relay.restart('notifier', {
    settings: { RELAY_VAPID_KEYS: `${newKey.private},${pushKey.private}` },
  });
  await page.reload();
  const fourth = await untilRenewed('it has the new key', (channel) => channel.pushKey === newKey.public);
  expect(fourth).toMatchObject(settings);

  // That key is removed before a page was opened.
  const newestKey = makePushKey();
  await product.relay.restart('notifier', { settings: { RELAY_VAPID_KEYS: newestKey.private } });
  await device.call('POST', `/api/notifications/channels/${fourth.id}/test`);
  await eventually('it is off', async () => (await channelsOf(device))[0]?.offReason === 'gone');
  await page.reload();
  const last = await untilRenewed('it has the newest key', ({ pushKey: key }) => key === newestKey.public);
  expect(last).toMatchObject({ ...settings, enabled: true });

  // Removed on another device.
  await device.call('DELETE', `/api/notifications/channels/${last.id}`);
  await page.reload();
  await eventually('it is off', async () => (await preferenceOf(device)) === 'off');
  expect(await page.evaluate('localStorage.getItem("test:subscription")')).toBeNull();
  await button(page, 'Switch on').waitFor();
  expect(await channelsOf(device)).toEqual([]);
});

test('email, chat, quiet hours and pause', async () => {
  await using device = await product.signIn(newUser());
  await using chat = await startWebhookReceiver();
  const page = await device.open('/settings');
  await button(page, 'Add an email address').click();
  await page.getByRole('textbox', { name: 'Email address' }).fill('not an address');
  await button(page, 'Add').click();
  await page.getByText('Enter one email address.').waitFor();
  await page.getByRole('textbox', { name: 'Email address' }).fill('ada@example.com');
  expect(await page.getByRole('option', { name: 'At once' }).count()).toBe(0);
  await button(page, 'Add').click();
  await page.getByText('Not confirmed').waitFor();
  const mailTo = (count: number) =>
    eventually(
      `email ${count}`,
      async () => mailServer.emails.filter(({ to }) => to === 'ada@example.com')[count - 1],
    );
  const [link = ''] = /http\S+confirm-email\S+/.exec((await mailTo(1)).text) ?? [];

  await page.goto(link.replace(/token=./, 'token=x'));
  await button(page, 'Confirm the address').click();
  await page.getByText('This link is old, or it was used.').waitFor();
  await button(page, 'Send another').click();
  await page.getByText('We sent you another email.').waitFor();
  const [next = ''] = /http\S+confirm-email\S+/.exec((await mailTo(2)).text) ?? [];
  await page.goto(next);
  expect(await channelsOf(device)).toMatchObject([{ confirmed: false }]);
  await button(page, 'Confirm the address').click();
  await page.getByRole('heading', { name: 'The address is confirmed' }).waitFor();

  await using other = await product.signIn(newUser());
  await other.page.goto(next);
  await button(other.page, 'Confirm the address').click();
  await other.page.getByText('There is no such address in your settings.').waitFor();

  await page.getByRole('link', { name: 'Go to the settings' }).click();
  await button(page, 'Send a test: ada@example.com').click();
  await page.getByText('Delivered').first().waitFor();
  await mailTo(3);

  await button(page, 'Add a chat').click();
  await page.getByRole('textbox', { name: /Address of an incoming webhook/ }).fill(chat.url);
  await page.getByRole('textbox', { name: 'Name' }).fill('#on-call');
  await button(page, 'Add').click();
  await page.getByText(new URL(chat.url).host).waitFor();
  await button(page, 'Send a test: #on-call').click();
  await eventually('the chat gets it', async () => chat.received.length === 1);
  await button(page, 'Switch off: #on-call').click();
  await button(page, 'Switch on: #on-call').waitFor();

  await button(page, 'Set: quiet hours').click();
  await page.getByRole('textbox', { name: 'From' }).or(page.getByLabel('From')).first().fill('21:30');
  await page.getByRole('combobox', { name: 'Time zone' }).selectOption('Europe/Berlin');
  await button(page, 'Save').click();
  await page.getByText('21:30 to 07:00').waitFor();
  await button(page, 'Pause all channels').click();
  await button(page, 'Pause').click();
  await page.getByText('Paused until').waitFor();
  await page.reload();
  await page.getByText('Paused until').waitFor();
  expect(await device.call('GET', '/api/notifications')).toMatchObject({
    quietHours: { from: '21:30', to: '07:00', timeZone: 'Europe/Berlin' },
    pausedUntil: expect.any(String),
  });
  // Both calls are under way at the same time.
  await button(page, 'End the pause').click();
  await button(page, 'Remove: quiet hours').click();
  await button(page, 'Set: quiet hours').waitFor();
  await page.getByText('Paused until').waitFor({ state: 'hidden' });
  expect(await device.call('GET', '/api/notifications')).toMatchObject({
    quietHours: null,
    pausedUntil: null,
  });

  await button(page, 'Remove: #on-call').click();
  await button(page, 'Remove it').click();
  await untilAnnounced(page, 'It is removed.');
  expect(await channelsOf(device)).toHaveLength(1);
  expect(device.problems).toEqual([]);
});
