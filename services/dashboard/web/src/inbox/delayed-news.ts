import type { QueryClient } from '@tanstack/react-query';
import { readHeldUntil } from '../endpoints/endpoint-calls.ts';
import type { Pace } from '../live/pace.ts';
import type { Storage } from '../storage/storage.ts';
import type { News } from './news.ts';

/** News of which the expert is to be notified. A pause and quiet hours hold them back. Only the leading tab has these. */
export interface DelayedNews {
  add(news: News): void;
  stop(): void;
}

interface DelayedNewsOptions {
  readonly storage: Pick<Storage, 'get' | 'set'>;
  readonly pace: Pick<Pace, 'run'>;
  readonly queries: QueryClient;
  /** `isEarlier`: it was held back by a page that is closed now. */
  show(news: News, isEarlier: boolean): Promise<void>;
}

/** By the relay's clock the end may come somewhat later. */
const minWaitMs = 1_000;
/** The expert may end a pause on another device. */
const maxWaitMs = 15 * 60_000;
/** Stored, so that they outlive this page: the next leader, or this page when it is loaded again, goes on with them. */
const name = 'held-news';

export function createDelayedNews({ storage, pace, queries, show }: DelayedNewsOptions): DelayedNews {
  const delayed = new Map<string, News>();
  const earlier = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;
  const loaded = load().catch(() => {});

  async function load(): Promise<void> {
    for (const news of JSON.parse((await storage.get(name)) ?? '[]') as News[]) {
      delayed.set(news.requestId, news);
      earlier.add(news.requestId);
    }
    if (delayed.size > 0) showLater();
  }

  const store = () => storage.set(name, JSON.stringify([...delayed.values()])).catch(() => {});

  function showLater(): void {
    pace.run('notifications', showDelayed);
  }

  async function showDelayed(): Promise<void> {
    const until = await readHeldUntil(queries);
    clearTimeout(timer);
    if (isStopped) return;
    if (until !== undefined) {
      timer = setTimeout(showLater, Math.min(maxWaitMs, Math.max(minWaitMs, until - Date.now())));
      return;
    }
    // Removed only when it is shown: this page may be closed at any time. A notification that is shown twice replaces itself.
    await Promise.all(
      [...delayed.values()].map(async (news) => {
        await show(news, earlier.has(news.requestId));
        if (delayed.get(news.requestId) === news) delayed.delete(news.requestId);
      }),
    );
    await store();
  }

  return {
    async add(news) {
      await loaded;
      delayed.set(news.requestId, news);
      earlier.delete(news.requestId);
      await store();
      if (!isStopped) showLater();
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
