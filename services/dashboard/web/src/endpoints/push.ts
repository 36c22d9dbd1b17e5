import type { Channel, SessionList } from '../generated/api.ts';
import { startWorker } from '../notifications/notifications.ts';
import { call } from '../relay/call.ts';
import { changePreferences, preferences } from '../storage/preferences.ts';
import { addPush, deleteChannel, readNotifications } from './endpoint-calls.ts';

/** Whether this browser can receive push messages. Safari on iPhone and iPad can from the home screen only. */
export const hasPush = (): boolean => 'PushManager' in globalThis && 'serviceWorker' in navigator;

/** The push service of the browser refused. */
export class PushServiceError extends Error {
  override readonly name = 'PushServiceError';
}

/** The channel that notifies this browser. */
export async function findOwnChannel(channels: readonly Channel[]): Promise<Channel | undefined> {
  const digest = await digestOf(await findSubscription().catch(() => undefined));
  return digest === undefined ? undefined : findByDigest(channels, digest);
}

/**
 * Subscribes this browser, and registers it at the relay. The page must have the permission already.
 *
 * @throws PushServiceError when the browser cannot subscribe; CallError when the relay refuses
 */
export async function subscribe(
  pushKey: string,
  settings: Partial<Pick<Channel, 'delaySeconds' | 'showQuestion'>> = {},
): Promise<Channel> {
  const subscription = await takeSubscription(pushKey).catch((cause: unknown) => {
    throw new PushServiceError('The push service of this browser refused.', { cause });
  });
  const channel = await addPush({
    subscription: subscription.toJSON(),
    pushKey,
    label: await readDevice(),
    ...settings,
  });
  changePreferences({ notifications: 'push', pushDigest: await digestOf(subscription) });
  return channel;
}

/** The name of this browser among the sessions, such as "Chrome on Linux", by which other devices name its channel. */
async function readDevice(): Promise<string | null> {
  const { body } = await call<SessionList>('/api/sessions');
  return body.sessions.find(({ current }) => current)?.device ?? null;
}

/** Ends push messages to this browser, whether or not the relay knows it. */
export async function unsubscribe(): Promise<void> {
  changePreferences({ notifications: 'off', pushDigest: undefined });
  await (await findSubscription())?.unsubscribe();
}

/**
 * Registers this browser again where that is needed: the relay has another key or cannot read the channel any more,
 * another session registered it (its end would not end this channel), or the browser has lost its subscription or was given another one. If the channel was removed elsewhere, this browser
 * unsubscribes.
 */
export async function renewSubscription(): Promise<void> {
  const { notifications, pushDigest } = preferences.get();
  if (notifications !== 'push') return;
  const state = await readNotifications();
  if (!state?.pushKey) return;
  const { channels, pushKey } = state;
  const subscription = await findSubscription();
  const digest = await digestOf(subscription);
  const registered = findByDigest(channels, pushDigest);
  const current = findByDigest(channels, digest);
  const isUsable = current?.ofThisSession && !current.sessionTimedOut && current.offReason !== 'unreadable';
  if (isUsable && subscription && isOf(subscription, pushKey)) {
    // The service worker may have registered another subscription.
    changePreferences({ pushDigest: digest });
    return;
  }
  const wasRemoved = !registered && digest !== undefined && digest === pushDigest;
  const old = current ?? registered;
  if (wasRemoved || Notification.permission !== 'granted') {
    await unsubscribe();
    if (old) await deleteChannel(old.id);
    return;
  }
  const settings = old && { delaySeconds: old.delaySeconds, showQuestion: old.showQuestion };
  const renewed = await subscribe(pushKey, settings);
  if (old && renewed.id !== old.id) await deleteChannel(old.id);
}

async function findSubscription(): Promise<PushSubscription | undefined> {
  if (!hasPush()) return undefined;
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ?? undefined;
}

async function takeSubscription(pushKey: string): Promise<PushSubscription> {
  await startWorker();
  const { pushManager } = await navigator.serviceWorker.ready;
  const known = await pushManager.getSubscription();
  if (known && isOf(known, pushKey)) return known;
  // A browser refuses another key while it has a subscription.
  await known?.unsubscribe();
  return await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: pushKey });
}

function isOf({ options: { applicationServerKey } }: PushSubscription, pushKey: string): boolean {
  if (!applicationServerKey) return true;
  const text = btoa(String.fromCharCode(...new Uint8Array(applicationServerKey)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '') === pushKey;
}

const findByDigest = (channels: readonly Channel[], digest: string | undefined): Channel | undefined =>
  channels.find(
    ({ subscriptionDigest }) => subscriptionDigest !== undefined && subscriptionDigest === digest,
  );

/** By this the relay names a subscription, whose address is a secret. */
async function digestOf(subscription: PushSubscription | undefined): Promise<string | undefined> {
  if (!subscription) return undefined;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(subscription.endpoint));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
