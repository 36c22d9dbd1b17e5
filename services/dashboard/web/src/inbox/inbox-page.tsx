import { usePageTitle } from '../app/page-title.tsx';
import { ConversationPane } from '../conversation/conversation-pane.tsx';
import styles from './inbox-page.module.css';
import { RequestList } from './request-list.tsx';

/** The list, and beside it the conversation that is open. On a narrow screen one of the two. */
export function InboxPage({ requestId }: { requestId: string | undefined }) {
  usePageTitle('Inbox');
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
