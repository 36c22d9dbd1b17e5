import { eventually } from '@expert-relay/testkit';
import type { Worker } from 'playwright-core';
import { button, type Device } from './open-product.ts';

interface Shown {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  readonly silent: boolean;
}

/** The push service of a browser, as its debugging protocol offers it, and the notifications that the worker shows. */
export interface BrowserPush {
  readonly worker: Worker;
  deliver(message: object): Promise<void>;
  deliverText(text: string): Promise<void>;
  shown(tag: string): Promise<Shown | undefined>;
  untilShown(tag: string): Promise<Shown>;
  count(): Promise<number>;
  closeAll(): Promise<void>;
  click(tag: string): Promise<void>;
  /** Clicks, and returns the addresses of the pages that were opened: a worker may open pages only after a real click. */
  openedBy(tag: string): Promise<string[]>;
  /** A headless browser cannot hide a page, so the worker is changed to see all pages as hidden. */
  hidePages(): Promise<void>;
}

/** After this time, a message that has shown nothing is delivered again. */
const againMs = 5_000;

/** Switches notifications on, and opens a page outside of the app that delivers push messages. */
export async function openPush(device: Device): Promise<BrowserPush> {
  const started = device.context.waitForEvent('serviceworker');
  const page = await device.open('/settings');
  await button(page, 'Switch on').click();
  const worker = await started;
  const outside = await device.newTab();
  await outside.goto('/api/openapi.json');
  const session = await device.context.newCDPSession(outside);
  let registrationId: string | undefined;
  session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    registrationId = registrations.find(({ isDeleted }) => !isDeleted)?.registrationId ?? registrationId;
  });
  await session.send('ServiceWorker.enable');
  const { origin } = new URL(outside.url());
  const shown = (tag: string) =>
    worker.evaluate<Shown | undefined>(`registration.getNotifications({ tag: ${JSON.stringify(tag)} })
      .then(([one]) => one && { title: one.title, body: one.body, tag: one.tag, silent: one.silent })`);
  const count = () => worker.evaluate<number>('registration.getNotifications().then(({ length }) => length)');
  const click = (tag: string) => `(async () => {
    const [notification] = await registration.getNotifications({ tag: ${JSON.stringify(tag)} });
    dispatchEvent(new NotificationEvent('notificationclick', { notification }));
  })()`;

  let last = { data: '', at: 0 };
  async function deliverText(data: string): Promise<void> {
    last = { data, at: performance.now() };
    const id = await eventually('the registration of the worker', async () => registrationId);
    await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId: id, data });
  }
  return {
    worker,
    deliver: (message) => deliverText(JSON.stringify(message)),
    deliverText,
    shown,
    // On a busy machine, Chromium loses a message to a worker that it has stopped, or closes its notification with an earlier one.
    untilShown: (tag) =>
      eventually(`a notification about ${tag}`, async () => {
        if (performance.now() - last.at > againMs) await deliverText(last.data);
        return await shown(tag);
      }),
    count,
    async closeAll() {
      await worker.evaluate(
        'registration.getNotifications().then((all) => all.forEach((one) => one.close()))',
      );
      // A notification that is closed late would close the next one with the same tag.
      await eventually('all are closed', async () => (await count()) === 0);
    },
    click: (tag) => worker.evaluate(click(tag)),
    async openedBy(tag) {
      await worker.evaluate(`{
        globalThis.opened = [];
        clients.openWindow = async (url) => void opened.push(url);
      }`);
      await worker.evaluate(click(tag));
      return await eventually('a page is opened', async () => {
        const opened = await worker.evaluate<string[]>('opened');
        return opened.length > 0 ? opened : undefined;
      });
    },
    hidePages: () =>
      worker.evaluate(`{
        const matchAll = clients.matchAll.bind(clients);
        clients.matchAll = async (options) => (await matchAll(options)).map((page) => ({
          url: page.url,
          visibilityState: 'hidden',
          focus: async () => page,
          postMessage: (message) => page.postMessage(message),
        }));
      }`),
  };
}
