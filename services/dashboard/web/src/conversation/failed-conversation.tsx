import { Link } from 'wouter';
import { type Connection, connection } from '../relay/connection.ts';
import { PageHeading } from '../shell/page.tsx';
import { routes } from '../shell/routes.ts';
import { Button } from '../ui/button.tsx';
import { useStore } from '../ui/store.ts';
import styles from './conversation-view.module.css';
import type { FailureCode } from './failure-codes.ts';
import { failureSentence } from './failure-sentences.ts';
import { WrittenFor } from './kept-draft.tsx';
import type { FollowedConversation } from './use-conversation.ts';

interface FailedConversationProps {
  readonly requestId: string;
  readonly conversation: FollowedConversation;
}

/** Why a request that was never read is not read now. */
const codeOfConnection = {
  online: 'unexpected_answer',
  offline: 'unavailable',
  unreachable: 'unavailable',
  limited: 'rate_limited',
  'signed-out': 'invalid_key',
} as const satisfies Record<Connection['kind'], FailureCode>;

/** Why a request cannot be shown, and what the expert has written for it. */
export function FailedConversation({ requestId, conversation }: FailedConversationProps) {
  const { kind } = useStore(connection);
  const { failure } = conversation.now;
  const { what, next } = failureSentence(failure ?? codeOfConnection[kind]);
  return (
    <div className={styles.failure}>
      <PageHeading className={styles.failureHeading}>{what}</PageHeading>
      <p>{next}</p>
      <div className={styles.actions}>
        {failure && (
          <Button look="main" onClick={conversation.retry}>
            Try again
          </Button>
        )}
        <Link href={routes.inbox}>Go to the inbox</Link>
      </div>
      {failure && (
        <div className={styles.written}>
          <WrittenFor requestId={requestId} conversation={conversation} />
        </div>
      )}
    </div>
  );
}
