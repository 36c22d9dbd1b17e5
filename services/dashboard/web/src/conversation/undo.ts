/** For how long a decision can be taken back. */
const undoMs = 4_000;
/** The most that browsers send for a page that is left. */
const maxKeptAliveBytes = 64 * 1024;

/** The time in which a decision can be taken back before it is sent. */
export interface Undo {
  readonly isPossible: boolean;
  /** Resolves when it is over. Where the page was left, the body was sent then, as far as the browser tells. */
  untilOverOrSent(body: object): Promise<void>;
  /** It was sent, or is not to be sent. */
  end(): void;
}

/** A page that is hidden or left sends at once, since it may never run again. */
export function createUndo(requestId: string): Undo {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), undoMs);
  let isLeft = false;
  const leave = ({ type }: Event) => {
    if (type !== 'pagehide' && document.visibilityState !== 'hidden') return;
    isLeft = true;
    over.abort();
  };
  addEventListener('pagehide', leave);
  document.addEventListener('visibilitychange', leave);

  return {
    get isPossible() {
      return !over.signal.aborted;
    },
    async untilOverOrSent(body) {
      if (!over.signal.aborted) {
        await new Promise((resolve) => over.signal.addEventListener('abort', resolve));
      }
      // The SDK sends the same body again: its message id makes it one message.
      if (isLeft) await sendKeptAlive(`/api/requests/${requestId}/messages`, JSON.stringify(body));
    },
    end() {
      clearTimeout(timer);
      removeEventListener('pagehide', leave);
      document.removeEventListener('visibilitychange', leave);
    },
  };
}

/** The browser goes on with it after the page was left. Whether it arrived is in the list of messages. */
async function sendKeptAlive(path: string, body: string): Promise<void> {
  if (new TextEncoder().encode(body).length > maxKeptAliveBytes) return;
  const headers = { 'content-type': 'application/json' };
  await fetch(path, { method: 'POST', headers, body, keepalive: true, redirect: 'error' }).catch(() => {});
}
