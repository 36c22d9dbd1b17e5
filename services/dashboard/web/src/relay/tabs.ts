import type { ExpertEvent } from '@expert-relay/sdk/expert';
import { createStore, type Store } from '../ui/store.ts';

/** Messages between the tabs of one user in one browser. */
export type TabMessage =
  | { readonly type: 'event'; readonly event: ExpertEvent }
  | { readonly type: 'stream'; readonly isOpen: boolean }
  /** A new tab asks the leader for the state of the stream. */
  | { readonly type: 'hello' }
  | { readonly type: 'draft'; readonly requestId: string; readonly text: string }
  /** The answer to this request that was not sent is new, or gone. */
  | { readonly type: 'unsent'; readonly requestId: string }
  /** The expert key of this browser was made, opened or removed. */
  | { readonly type: 'key-changed' };

export interface Tabs {
  send(message: TabMessage): void;
  listen(call: (message: TabMessage) => void): () => void;
  /** Runs `work` in one tab at a time, the leader. Its signal aborts when another tab becomes the leader. */
  lead(work: (signal: AbortSignal) => Promise<void>): void;
  /** Whether this tab is the leader. */
  readonly isLeading: Store<boolean>;
}

/** The leader sends a message at least this often. */
export const aliveMs = 15_000;
/** After this time without a message from the leader, another tab becomes the leader. */
const maxSilenceMs = 90_000;
/** A page that is left, and a browser that stores nothing, refuse each request for a lock at once. */
const lockRetryMs = 1_000;

export function createTabs(userId: string): Tabs {
  const channel = new BroadcastChannel(`expert-relay:${userId}`);
  const calls = new Set<(message: TabMessage) => void>();
  const leader = `expert-relay:${userId}:stream`;
  let heardAt = performance.now();
  const isLeading = createStore(false);

  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    const isFromLeader = data.type === 'event' || data.type === 'stream';
    if (isFromLeader) heardAt = performance.now();
    for (const call of [...calls]) call(data);
  };
  async function work(run: (signal: AbortSignal) => Promise<void>, steal: boolean): Promise<void> {
    const stopped = new AbortController();
    try {
      await navigator.locks.request(leader, { steal }, async () => {
        isLeading.set(true);
        await run(stopped.signal);
      });
    } finally {
      isLeading.set(false);
      stopped.abort();
    }
  }

  return {
    send: (message) => channel.postMessage(message),
    listen(call) {
      calls.add(call);
      return () => calls.delete(call);
    },
    lead(run) {
      const queue = (steal: boolean) => {
        heardAt = performance.now();
        // It rejects when another tab takes the lock over. Then this tab waits for it again.
        work(run, steal).catch(() => setTimeout(queue, lockRetryMs, false));
      };
      queue(false);
      setInterval(() => {
        if (isLeading.get()) return;
        // Some systems suspend a tab while it has the lock.
        const isSilent = performance.now() - heardAt > maxSilenceMs;
        if (isSilent && document.visibilityState === 'visible') queue(true);
      }, aliveMs);
    },
    isLeading,
  };
}
