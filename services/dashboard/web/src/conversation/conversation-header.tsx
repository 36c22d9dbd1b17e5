import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { Link, useSearch } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { PageHeading } from '../shell/page.tsx';
import { routes } from '../shell/routes.ts';
import { agentAndKey } from '../ui/agent-name.ts';
import { Button } from '../ui/button.tsx';
import { useCopy } from '../ui/copy-button.tsx';
import { BackIcon, LockIcon } from '../ui/icons.tsx';
import { lazyPage } from '../ui/lazy-page.tsx';
import { Tags } from '../ui/tags.tsx';
import { describeTimeLeft, type TimeLeft, useNow } from '../ui/time.tsx';
import styles from './conversation-header.module.css';
import { hasEnded } from './conversation-state.ts';
import { describeState } from './group-messages.ts';
import { loadAfterQuestion } from './load-after-question.ts';
import { describeSnooze, type SnoozeActions } from './snooze.ts';
import type { useConversation } from './use-conversation.ts';

const CloseConfirmation = lazyPage(async () => (await loadAfterQuestion()).CloseConfirmation);
const SnoozePanel = lazyPage(async () => (await loadAfterQuestion()).SnoozePanel);

/** What is open below the header. */
export type Panel = 'none' | 'close' | 'fingerprint' | 'snooze';

interface HeaderProps {
  readonly conversation: ReturnType<typeof useConversation>;
  readonly panel: Panel;
  readonly onPanel: (panel: Panel) => void;
  readonly snooze: SnoozeActions | undefined;
  readonly onNext: (() => void) | undefined;
}

export function ConversationHeader({ conversation, panel, onPanel, snooze, onNext }: HeaderProps) {
  const { request, messages, sent } = conversation.now;
  const now = useNow();
  const search = useSearch();
  // What was typed is still there after Escape.
  const [reason, setReason] = useState('');
  const keepsFocus = useHistoryState<{ keepsFocus?: boolean } | null>()?.keepsFocus;
  if (!request) return null;
  const isOver = hasEnded(request);
  const left = isOver ? undefined : describeTimeLeft(request.expiresAt, now);
  return (
    <header className={styles.header}>
      <Link
        // Keeps the filter of the list from which the request was opened.
        href={search ? `${routes.inbox}?${search}` : routes.inbox}
        className={styles.back}
        aria-label="Back to the inbox"
      >
        <BackIcon />
      </Link>
      <PageHeading className={styles.agent} takesFocus={!keepsFocus}>
        <bdi>{agentAndKey({ agentName: request.agentName, keyName: request.agent }, 'Agent')}</bdi>
      </PageHeading>
      <div className={styles.facts}>
        <RefCode code={request.refCode} />
        {request.encrypted ? (
          <button
            type="button"
            className={styles.fact}
            aria-expanded={panel === 'fingerprint'}
            onClick={() => onPanel(panel === 'fingerprint' ? 'none' : 'fingerprint')}
            title="Check who you are talking to"
          >
            <span className={styles.lock}>
              <LockIcon />
            </span>
            <span className={styles.word}>Encrypted</span>
          </button>
        ) : (
          // The keys of an erased request are gone, so it is unknown whether it was encrypted.
          !request.erasedAt && <Fact>Not encrypted</Fact>
        )}
        <Fact>{describeState(request, messages, sent)}</Fact>
        {snooze?.now && <Fact>{describeSnooze(snooze.now)}</Fact>}
        {snooze && (
          <button
            type="button"
            className={`${styles.fact} ${styles.action}`}
            aria-expanded={snooze.now ? undefined : panel === 'snooze'}
            onClick={snooze.now ? snooze.end : () => onPanel(panel === 'snooze' ? 'none' : 'snooze')}
          >
            {snooze.now ? 'End the snooze' : 'Snooze'}
          </button>
        )}
        {left && <Fact urgency={left.urgency}>{left.text}</Fact>}
        <Tags tags={request.tags} />
      </div>
      {!isOver && (
        <Button
          className={styles.close}
          aria-expanded={panel === 'close'}
          onClick={() => onPanel(panel === 'close' ? 'none' : 'close')}
        >
          End request
        </Button>
      )}
      <Suspense>
        {panel === 'snooze' && snooze && (
          <SnoozePanel
            snooze={snooze}
            expiresAt={request.expiresAt}
            onDone={(isSnoozed) => {
              onPanel('none');
              if (isSnoozed) onNext?.();
            }}
          />
        )}
        {panel === 'close' && !isOver && (
          <CloseConfirmation
            isEncrypted={request.encrypted}
            close={conversation.close}
            reason={reason}
            onReason={setReason}
            onDone={() => onPanel('none')}
          />
        )}
      </Suspense>
    </header>
  );
}

function Fact({ children, urgency }: { children: ReactNode; urgency?: TimeLeft['urgency'] }) {
  return (
    <span className={styles.fact} data-urgency={urgency}>
      {children}
    </span>
  );
}

function RefCode({ code }: { code: string }) {
  const [outcome, copy] = useCopy(code);
  const text = useRef<HTMLElement>(null);
  useEffect(() => {
    // A text in a button cannot be selected with the mouse.
    if (outcome === 'failed' && text.current) getSelection()?.selectAllChildren(text.current);
  }, [outcome]);
  return (
    <button type="button" className={`${styles.fact} ${styles.code}`} title="Copy this code" onClick={copy}>
      <code ref={text}>{code}</code>
      <span role="status">
        {outcome === 'copied' && ' Copied'}
        {outcome === 'failed' && ' Selected: copy it'}
      </span>
    </button>
  );
}
