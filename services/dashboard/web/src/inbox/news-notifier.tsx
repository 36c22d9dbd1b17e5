import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { routes } from '../app/routes.ts';
import { notify, onNotificationClick } from '../notifications/notifications.ts';
import { preferences } from '../preferences/preferences.ts';
import { useServices } from '../services/services.tsx';
import { agentAndKey } from '../ui/agent-name.ts';
import { firstWords } from './first-words.ts';
import type { Inbox } from './inbox.ts';

/** Shows notifications of new requests and messages, if the expert wants them. Only the tab with the stream shows them. */
export function NewsNotifier({ inbox }: { inbox: Inbox }) {
  const { live } = useServices();
  const [, navigate] = useLocation();
  useEffect(() => onNotificationClick((requestId) => navigate(routes.request(requestId))), [navigate]);
  useEffect(
    () =>
      inbox.onNews(({ kind, requestId }) => {
        if (preferences.get().notifications === 'off' || !live.tabs.isLeading()) return;
        void send(inbox, kind === 'request' ? 'Request' : 'Message', requestId).catch(() => {});
      }),
    [inbox, live],
  );
  return null;
}

async function send(inbox: Inbox, what: string, requestId: string): Promise<void> {
  const row = await inbox.complete(requestId);
  const refCode = row?.refCode ?? '';
  // Other people may see the screen, so the question is shown only if the expert has allowed it.
  const question = preferences.get().notifications === 'with-question' ? (row?.question ?? '') : '';
  await notify({
    title: `${what} from ${agentAndKey({ agentName: row?.agentName, keyName: row?.agent?.name }, 'an agent')}`,
    body: question ? `${refCode}\n${firstWords(question, 200)}` : refCode,
    requestId,
  });
}
