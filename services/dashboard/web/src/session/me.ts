import type { Me } from '../generated/api.ts';
import { call } from '../relay/call.ts';

export const readMe = async (): Promise<Me> => (await call<Me>('/api/me')).body;

/** Opens the sign-in page, which leads back to this page. */
export function signInAgain(): void {
  // Without a session, the dashboard remembers this address and redirects to the sign-in page.
  location.reload();
}

/** Undefined when the user has signed out. */
type UserMessage = { readonly userId: string | undefined };

const channel = new BroadcastChannel('expert-relay:user');

/** Reloads this tab when another user signs in, or this one signs out, in another tab of this browser. */
export function followUser(userId: string): void {
  channel.onmessage = ({ data }: MessageEvent<UserMessage>) => {
    if (data.userId !== userId) location.reload();
  };
  channel.postMessage({ userId } satisfies UserMessage);
  // A page in the back-forward cache may be from before a sign-out.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload();
  });
}

export const reportSignOut = (): void => channel.postMessage({ userId: undefined } satisfies UserMessage);
