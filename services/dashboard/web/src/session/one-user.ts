/** Undefined: the user has signed out. */
type Message = { readonly userId: string | undefined };

const channel = new BroadcastChannel('expert-relay:user');

/**
 * One person uses a browser at a time. A tab of an earlier user or from before the sign-out is reloaded, and then
 * belongs to the current session.
 */
export function followUser(userId: string): void {
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.userId !== userId) location.reload();
  };
  channel.postMessage({ userId } satisfies Message);
  // Pages in the back-forward cache may also be from before the sign-out.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload();
  });
}

export const reportSignOut = (): void => channel.postMessage({ userId: undefined } satisfies Message);
