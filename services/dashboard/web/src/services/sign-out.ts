import { changePreferences } from '../preferences/preferences.ts';
import { CallError, relayFetch } from '../session/call.ts';
import { reportSignOut } from '../session/me.ts';
import type { Services } from './services.tsx';

const patienceMs = 15_000;

/**
 * Ends the session and wipes what this browser kept for the user: expert key, drafts, what is remembered of requests.
 *
 * @throws CallError when the relay cannot be reached: the user is still signed in then, and nothing is wiped
 */
export async function signOut({ storage }: Pick<Services, 'storage'>): Promise<void> {
  // A tab that is closed before the answer must wipe too.
  const wipe = () => void storage.clear();
  addEventListener('pagehide', wipe);
  // The answer is a redirect, to a page or to nothing, and is not followed.
  const answer = await relayFetch('/logout', {
    method: 'POST',
    redirect: 'manual',
    cache: 'no-store',
    keepalive: true,
    signal: AbortSignal.timeout(patienceMs),
  }).catch(() => undefined);
  removeEventListener('pagehide', wipe);
  if (answer?.type !== 'opaqueredirect') {
    throw new CallError(answer?.status ?? 0, 'still_signed_in', 'You are still signed in. Try again.');
  }
  await storage.clear();
  changePreferences({ notifications: 'off' });
  await closeNotifications().catch(() => {});
  // Other tabs reload now, and find neither the session nor what was kept.
  reportSignOut();
  location.replace('/auth/login');
}

/** Notifications name requests, and may show questions. */
export async function closeNotifications(): Promise<void> {
  const worker = await globalThis.navigator.serviceWorker?.getRegistration();
  for (const notification of (await worker?.getNotifications()) ?? []) notification.close();
}
