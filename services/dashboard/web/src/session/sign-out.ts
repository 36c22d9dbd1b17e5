import { endNotifications } from '../notifications/notifications.ts';
import { CallError, relayFetch } from '../relay/call.ts';
import type { AppContext } from './app-context.tsx';
import { reportSignOut } from './me.ts';

const timeoutMs = 15_000;

/**
 * Ends the session and deletes what this browser stored for the user: expert key, drafts, and data about requests.
 *
 * @throws CallError when the relay cannot be reached: then the user is still signed in, and nothing is deleted
 */
export async function signOut({ storage }: Pick<AppContext, 'storage'>): Promise<void> {
  // A tab that is closed before the answer must delete it too.
  const clear = () => void storage.clear();
  addEventListener('pagehide', clear);
  // The answer is a redirect. It is not followed here.
  const answer = await relayFetch('/logout', {
    method: 'POST',
    redirect: 'manual',
    cache: 'no-store',
    keepalive: true,
    signal: AbortSignal.timeout(timeoutMs),
  }).catch(() => undefined);
  removeEventListener('pagehide', clear);
  if (answer?.type !== 'opaqueredirect') {
    throw new CallError(answer?.status ?? 0, 'still_signed_in', 'You are still signed in. Try again.');
  }
  await storage.clear();
  await endNotifications().catch(() => {});
  // Other tabs reload now, and find neither the session nor the stored data.
  reportSignOut();
  location.replace('/auth/login');
}
