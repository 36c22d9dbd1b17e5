import { Suspense, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { lazyPage } from '../app/lazy-page.tsx';
import { usePageTitle } from '../app/page-title.tsx';
import { routes } from '../app/routes.ts';
import { ConversationPane } from '../conversation/conversation-pane.tsx';
import { useStore } from '../ui/store.ts';
import { useCounts, useInbox } from './inbox-context.tsx';
import styles from './inbox-page.module.css';
import { RequestList } from './request-list.tsx';

const FirstRequest = lazyPage(async () => (await import('./first-request.tsx')).FirstRequest);

/** The list, and beside it the conversation that is open. On a narrow screen one of the two. */
export function InboxPage({ requestId }: { requestId: string | undefined }) {
  usePageTitle('Inbox');
  const isFirstTime = useFirstTime(requestId);
  if (isFirstTime) {
    return (
      <Suspense>
        <FirstRequest />
      </Suspense>
    );
  }
  return (
    <div className={styles.columns} data-is-open={requestId !== undefined || undefined}>
      <section className={styles.list} aria-label="Requests">
        <RequestList selected={requestId} />
      </section>
      <section className={styles.conversation} aria-label="Conversation">
        {requestId === undefined ? (
          <p className={styles.nothing}>Choose a request to read it here.</p>
        ) : (
          <ConversationPane key={requestId} requestId={requestId} />
        )}
      </section>
    </div>
  );
}

/** Whether the expert never had a request. The first one opens automatically. */
function useFirstTime(requestId: string | undefined): boolean {
  const { inbox } = useInbox();
  const [, navigate] = useLocation();
  const counts = useCounts();
  const first = useStore(inbox.rows)[0]?.requestId;
  const isEmpty = counts !== undefined && Object.values(counts).every((count) => count === 0);
  const isFirstTime = isEmpty && first === undefined && requestId === undefined;
  const wasFirstTime = useRef(false);
  useEffect(() => {
    if (wasFirstTime.current && !isFirstTime && first !== undefined && requestId === undefined) {
      navigate(routes.request(first), { replace: true });
    }
    wasFirstTime.current = isFirstTime;
  }, [isFirstTime, first, requestId, navigate]);
  return isFirstTime;
}
