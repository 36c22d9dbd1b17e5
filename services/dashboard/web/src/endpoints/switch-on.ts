import type { Channel } from '../generated/api.ts';
import { askForNotifications, isSupported } from '../notifications/notifications.ts';
import { changePreferences } from '../storage/preferences.ts';
import { hasPush, PushServiceError, subscribe } from './push.ts';

/** What came of it. `no-push-service`: this browser is notified only while a page is open. */
export type Outcome =
  | { readonly kind: 'push'; readonly channel: Channel }
  | { readonly kind: 'open-page' | 'no-push-service' | 'denied' | 'unsupported' | 'failed' };

/**
 * Switches notifications on in this browser: by push messages if relay and browser can. Call it at the beginning of a click,
 * since Safari asks for the permission only then. `readPushKey` resolves with nothing where the relay sends no push messages.
 */
export async function switchOn(readPushKey: () => Promise<string | null | undefined>): Promise<Outcome> {
  const answer = await askForNotifications();
  if (answer !== 'granted') return { kind: answer };
  const pushKey = await readPushKey();
  if (pushKey && hasPush()) {
    try {
      return { kind: 'push', channel: await subscribe(pushKey) };
    } catch (error) {
      if (!(error instanceof PushServiceError)) throw error;
      changePreferences({ notifications: 'on' });
      return { kind: 'no-push-service' };
    }
  }
  changePreferences({ notifications: 'on' });
  return { kind: 'open-page' };
}

const isApplePhone = (): boolean =>
  /^iP(hone|ad|od)/.test(navigator.platform) ||
  (navigator.platform === 'MacIntel' && navigator.maxTouchPoints > 1);

/** Why this browser cannot show notifications; undefined if it can, or may ask for the permission. */
export function findObstacle(): 'home-screen' | 'unsupported' | 'denied' | undefined {
  if (!isSupported()) return isApplePhone() ? 'home-screen' : 'unsupported';
  return Notification.permission === 'denied' ? 'denied' : undefined;
}
