import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { routes } from '../app/routes.ts';
import { useAppContext } from '../app-context/app-context.tsx';
import { closeNotification, notify, onNotificationClick } from '../notifications/notifications.ts';
import { preferences } from '../preferences/preferences.ts';
import type { DelayedNews } from './delayed-news.ts';
import { notificationOf } from './describe-news.ts';
import type { Inbox } from './inbox.ts';
import type { News } from './news.ts';
import { filterOf } from './rows.ts';

/** Shows notifications of new requests and messages, if the expert wants them. Only the tab with the stream shows them. */
export function NewsNotifier({ inbox }: { inbox: Inbox }) {
  const { live, storage } = useAppContext();
  const queries = useQueryClient();
  const [location, navigate] = useLocation();
  useEffect(() => onNotificationClick((requestId) => navigate(routes.request(requestId))), [navigate]);
  useEffect(() => {
    if (preferences.get().notifications !== 'push') return;
    void import('../endpoints/push.ts').then(({ renewSubscription }) => renewSubscription()).catch(() => {});
  }, []);
  useEffect(() => {
    const [, requestId] = /^\/requests\/([^/]+)$/.exec(location) ?? [];
    if (requestId) void closeNotification(requestId).catch(() => {});
  }, [location]);
  useEffect(() => {
    let delayed: Promise<DelayedNews | undefined> | undefined;
    const waiting = inbox.listQuery({ filter: 'waiting' });
    const showDelayed = async (news: News, isEarlier = false) => {
      // After a reload, the page that is open may not have read the list.
      const isRead = isEarlier && (await queries.ensureInfiniteQueryData(waiting).catch(() => false));
      await show(inbox, news, Boolean(isRead)).catch(() => {});
    };
    const follow = () => {
      const { notifications } = preferences.get();
      // With `push` the relay notifies this browser, so that a page would notify it twice.
      const isShowing = notifications === 'on' || notifications === 'with-question';
      if (isShowing && live.tabs.isLeading.get()) {
        delayed ??= import('./delayed-news.ts').then(
          ({ createDelayedNews }) =>
            createDelayedNews({ storage, pace: live.pace, queries, show: showDelayed }),
          () => undefined,
        );
      } else {
        void delayed?.then((news) => news?.stop());
        delayed = undefined;
      }
    };
    follow();
    const ends = [
      live.tabs.isLeading.subscribe(follow),
      preferences.subscribe(follow),
      inbox.onNews((news) => void delayed?.then((holder) => (holder ?? { add: showDelayed }).add(news))),
    ];
    return () => {
      for (const end of ends) end();
      void delayed?.then((news) => news?.stop());
    };
  }, [inbox, live, queries, storage]);
  return null;
}

/** `isListed`: what waits was read after the news, so that a request without a row does not wait any more. */
async function show(inbox: Inbox, { kind, requestId }: News, isListed: boolean): Promise<void> {
  const row = await inbox.complete(requestId);
  // While the notification was held back, somebody may have answered.
  if (row ? filterOf(row) !== 'waiting' : isListed) return;
  // Other people may see the screen, so the question is shown only if the expert has allowed it.
  const withQuestion = preferences.get().notifications === 'with-question';
  await notify({ ...notificationOf(kind, row, withQuestion), requestId });
}
