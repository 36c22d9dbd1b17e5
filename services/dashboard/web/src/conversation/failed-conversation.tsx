import { Link } from 'wouter';
import { PageHeading } from '../shell/page.tsx';
import { routes } from '../shell/routes.ts';
import { Button } from '../ui/button.tsx';
import styles from './conversation-view.module.css';
import type { FailureCode } from './failure-codes.ts';
import { WrittenFor } from './kept-draft.tsx';
import { refusalSentence } from './refusal-sentences.ts';
import type { FollowedConversation } from './use-conversation.ts';

interface FailedConversationProps {
  readonly requestId: string;
  readonly conversation: FollowedConversation;
  readonly code: FailureCode;
  /** Undefined while the relay cannot be reached. */
  readonly onRetry: (() => void) | undefined;
}

/** Why a request cannot be shown, and what the expert has written for it. */
export function FailedConversation({ requestId, conversation, code, onRetry }: FailedConversationProps) {
  const { what, next } = refusalSentence(code);
  return (
    <div className={styles.failure}>
      <PageHeading className={styles.failureHeading}>{what}</PageHeading>
      <p>{next}</p>
      <div className={styles.actions}>
        {onRetry && (
          <Button look="main" onClick={onRetry}>
            Try again
          </Button>
        )}
        <Link href={routes.inbox}>Go to the inbox</Link>
      </div>
      {onRetry && (
        <div className={styles.written}>
          <WrittenFor requestId={requestId} conversation={conversation} />
        </div>
      )}
    </div>
  );
}
