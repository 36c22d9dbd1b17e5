import { memo } from 'react';
import { Link } from 'wouter';
import { connection } from '../relay/connection.ts';
import type { UnsentState } from '../storage/unsent.ts';
import { firstWords } from '../text/first-words.ts';
import { agentAndKey } from '../ui/agent-name.ts';
import { LockIcon } from '../ui/icons.tsx';
import { useStore } from '../ui/store.ts';
import { Tags } from '../ui/tags.tsx';
import { describeTimeLeft, Time, useNow } from '../ui/time.tsx';
import { Written } from '../ui/written.tsx';
import styles from './request-row.module.css';
import { filterOf, type Row } from './rows.ts';

interface RequestRowProps {
  readonly row: Row;
  readonly href: string;
  readonly isCurrent: boolean;
  readonly isNew: boolean;
  /** The list is one stop of the Tab key: this row. */
  readonly isTabStop: boolean;
  readonly isSnoozed: boolean;
  /** Whether it is a result of a search, perhaps of its code. */
  readonly isFound: boolean;
  /** Whether it has an answer that was not sent. */
  readonly unsent: UnsentState | undefined;
}

/** More characters than a line can show. */
const maxTextLength = 160;

/** One request in the list: a link to its conversation. Its height is fixed, so that no row needs measuring. */
export const RequestRow = memo(function RequestRow(props: RequestRowProps) {
  const { row, href, isCurrent, isNew, isTabStop, isSnoozed, isFound, unsent } = props;
  const { requestId, refCode, agent } = row;
  const state = isSnoozed ? 'Snoozed' : describeState(row);
  const text = row.newestText ?? row.question;
  return (
    <Link
      href={href}
      className={isSnoozed ? `${styles.row} ${styles.snoozed}` : styles.row}
      aria-current={isCurrent ? 'true' : undefined}
      title={refCode}
      data-request={requestId}
      tabIndex={isTabStop ? 0 : -1}
    >
      <span className={styles.line}>
        {isNew && (
          <span className={styles.new}>
            <span className="visually-hidden">New. </span>
          </span>
        )}
        <span className={styles.agent} dir="auto">
          <span data-key-id={agent.keyId} title="Only this agent">
            {agentAndKey({ agentName: row.agentName, keyName: agent.name }, 'Request')}
          </span>
        </span>
        {row.kind && <span className={styles.kind}>{row.kind}</span>}
        {!wasErased(row) && <Protection isEncrypted={row.encrypted} />}
        <span className={styles.age}>
          {unsent && <Undelivered state={unsent} />}
          {!unsent && state && `${state} · `}
          <Time at={row.lastActivityAt} />
        </span>
      </span>
      <span className={styles.line}>
        <span className={text ? styles.text : `${styles.text} ${styles.none}`} dir="auto">
          {text ? <Written text={firstWords(text, maxTextLength)} /> : withoutQuestion(row)}
        </span>
        <Tags tags={row.tags} />
        <TimeLeft row={row} />
        <code className={isFound ? styles.code : 'visually-hidden'}>{refCode}</code>
      </span>
    </Link>
  );
});

/** As beside the answer in the conversation. */
function Undelivered({ state }: { state: UnsentState }) {
  const isOnline = useStore(connection).kind === 'online';
  if (state === 'sending' && isOnline) return 'Sending… · ';
  return (
    <>
      <span className={styles.unsent}>Not sent</span>
      {' · '}
    </>
  );
}

/** As in the conversation, where the word stands beside it. */
const Protection = ({ isEncrypted }: { isEncrypted: boolean }) => (
  <span className={styles.lock} title={isEncrypted ? 'Encrypted' : undefined}>
    {isEncrypted && <LockIcon />}
    <span className="visually-hidden">{isEncrypted ? 'Encrypted' : 'Not encrypted'}</span>
  </span>
);

function withoutQuestion({ isRefused }: Row): string {
  return isRefused ? 'Refused: its question or its keys cannot be trusted.' : 'Without a question';
}

function TimeLeft({ row }: { row: Row }) {
  const now = useNow();
  if (filterOf(row) === 'ended') return null;
  const left = describeTimeLeft(row.expiresAt, now);
  return left ? (
    <span className={styles.left} data-urgency={left.urgency}>
      {left.text}
    </span>
  ) : null;
}

/** The state in words, unless the filter or the rest of the row shows it already. */
function describeState({ status, turn, responseCount }: Row): string | undefined {
  if (status === 'expired') return responseCount > 0 ? 'Expired' : 'Expired unanswered';
  if (status === 'closed') return responseCount > 0 ? undefined : 'Ended unanswered';
  return status === 'responded' && turn === 'expert' ? 'Follow-up' : undefined;
}

/** The relay erases the content of ended requests after the retention time. */
const wasErased = (row: Row): boolean => filterOf(row) === 'ended' && !row.encrypted && !row.question;
