import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { closeNotification, notify, onNotificationClick } from '../notifications/notifications.ts';
import { useAppContext } from '../session/app-context.tsx';
import { routes } from '../shell/routes.ts';
import { preferences } from '../storage/preferences.ts';
import { notificationOf } from './describe-news.ts';
import type { Inbox } from './inbox.ts';
import type { News } from './news.ts';

/** Shows notifications of new requests and messages, if the expert wants them. Only the tab with the stream shows them. */
export function NewsNotifier({ inbox }: { inbox: Inbox }) {
  const { live } = useAppContext();
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
  useEffect(
    () =>
      inbox.onNews((news) => {
        const { notifications } = preferences.get();
        // With `push` the relay notifies this browser, so that a page would notify it twice.
        const isShowing = notifications === 'on' || notifications === 'with-question';
        if (isShowing && live.tabs.isLeading.get()) void show(news).catch(() => {});
      }),
    [inbox, live],
  );
  return null;
}

async function show(news: News): Promise<void> {
  // Other people may see the screen, so the question is shown only if the expert has allowed it.
  const withQuestion = preferences.get().notifications === 'with-question';
  await notify({ ...notificationOf(news, withQuestion), requestId: news.row.requestId });
}
