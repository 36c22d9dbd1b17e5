/** Undefined: the user has signed out. */
type Message = { readonly userId: string | undefined };

const channel = new BroadcastChannel('expert-relay:user');

/**
 * One person uses a browser at a time. A tab that is left over from another one, or from before the sign-out, is loaded
 * again, and then belongs to the session that is there now.
 */
export function followUser(userId: string): void {
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.userId !== userId) location.reload();
  };
  channel.postMessage({ userId } satisfies Message);
  // Pages that the browser has kept for its Back button come from before the sign-out as well.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload();
  });
}

export const reportSignOut = (): void => channel.postMessage({ userId: undefined } satisfies Message);
