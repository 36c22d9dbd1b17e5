import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Link, useSearch } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { PageHeading } from '../app/page.tsx';
import { routes } from '../app/routes.ts';
import { agentAndKey } from '../ui/agent-name.ts';
import { Button } from '../ui/button.tsx';
import { useCopy } from '../ui/copy-button.tsx';
import { BackIcon, LockIcon } from '../ui/icons.tsx';
import { describeTimeLeft, useNow } from '../ui/time.tsx';
import styles from './conversation-header.module.css';
import { hasEnded } from './conversation-state.ts';
import { describeState } from './group-messages.ts';
import { actionSentence, codeOf, type Sentence } from './refusal-sentences.ts';
import type { useConversation } from './use-conversation.ts';

type Panel = 'none' | 'close' | 'fingerprint';

interface HeaderProps {
  readonly conversation: ReturnType<typeof useConversation>;
  readonly panel: Panel;
  readonly onPanel: (panel: Panel) => void;
}

export function ConversationHeader({ conversation, panel, onPanel }: HeaderProps) {
  const { request, messages, answers } = conversation.now;
  const now = useNow();
  const search = useSearch();
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
            Encrypted
          </button>
        ) : (
          // The keys of an erased request are gone, so it is unknown whether it was encrypted.
          !request.erasedAt && <Fact>Not encrypted</Fact>
        )}
        <Fact>{describeState(request, messages, answers)}</Fact>
        {left && <Fact isUrgent>{left}</Fact>}
      </div>
      {!isOver && (
        <Button
          className={styles.close}
          aria-expanded={panel === 'close'}
          onClick={() => onPanel(panel === 'close' ? 'none' : 'close')}
        >
          Close
        </Button>
      )}
      {panel === 'close' && !isOver && (
        <CloseConfirmation close={conversation.close} onDone={() => onPanel('none')} />
      )}
    </header>
  );
}

function Fact({ children, isUrgent = false }: { children: ReactNode; isUrgent?: boolean }) {
  return <span className={`${styles.fact} ${isUrgent ? styles.urgent : ''}`}>{children}</span>;
}

function RefCode({ code }: { code: string }) {
  const [outcome, copy] = useCopy(code);
  return (
    <button type="button" className={`${styles.fact} ${styles.code}`} title="Copy this code" onClick={copy}>
      <code>{code}</code>
      <span role="status">{outcome === 'copied' && ' Copied'}</span>
    </button>
  );
}

function CloseConfirmation({ close, onDone }: { close: () => Promise<void>; onDone: () => void }) {
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<Sentence>();
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    keep.current?.focus();
    return () => {
      if (document.activeElement === document.body && before instanceof HTMLElement) before.focus();
    };
  }, []);

  async function confirm() {
    setIsBusy(true);
    try {
      await close();
      onDone();
    } catch (error) {
      setFailure(actionSentence(codeOf(error)));
      setIsBusy(false);
    }
  }

  return (
    <fieldset
      className={styles.confirmation}
      aria-labelledby="close-question"
      onKeyDown={(event) => {
        if (event.key === 'Escape') onDone();
      }}
    >
      <p id="close-question">Close this request? The agent can send nothing more.</p>
      <div className={styles.choices}>
        <Button look="danger" isBusy={isBusy} onClick={() => void confirm()}>
          Close request
        </Button>
        <Button ref={keep} onClick={onDone}>
          Keep open
        </Button>
      </div>
      {failure && (
        <p role="alert" className={styles.failure}>
          Not closed. {failure.what} {failure.next}
        </p>
      )}
    </fieldset>
  );
}
