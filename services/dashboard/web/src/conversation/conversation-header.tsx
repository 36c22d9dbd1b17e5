import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Link, useSearch } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { PageHeading } from '../app/page.tsx';
import { routes } from '../app/routes.ts';
import { agentAndKey } from '../ui/agent-name.ts';
import { Button } from '../ui/button.tsx';
import { useCopy } from '../ui/copy-button.tsx';
import { BackIcon, LockIcon } from '../ui/icons.tsx';
import { Tags } from '../ui/tags.tsx';
import { TextField } from '../ui/text-field.tsx';
import { describeTimeLeft, type TimeLeft, useNow } from '../ui/time.tsx';
import { useReturnFocus } from '../ui/use-return-focus.ts';
import styles from './conversation-header.module.css';
import { hasEnded } from './conversation-state.ts';
import { describeState } from './group-messages.ts';
import { actionSentence, codeOf, type Sentence } from './refusal-sentences.ts';
import { describeSnooze, type SnoozeActions, SnoozePanel } from './snooze-panel.tsx';
import type { useConversation } from './use-conversation.ts';

/** What is open below the header. */
export type Panel = 'none' | 'close' | 'fingerprint' | 'snooze';

/** Moves the focus to the agent's name: single keys are shortcuts there, and no phone opens its keyboard. */
export function focusHeader(): void {
  document.querySelector<HTMLElement>('[data-pane] h1')?.focus({ preventScroll: true });
}

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

interface CloseConfirmationProps {
  readonly isEncrypted: boolean | undefined;
  readonly close: (reason: string | undefined) => Promise<void>;
  readonly reason: string;
  readonly onReason: (reason: string) => void;
  readonly onDone: () => void;
}

function CloseConfirmation(props: CloseConfirmationProps) {
  const { isEncrypted, close, reason, onReason, onDone } = props;
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<Sentence>();
  const keep = useRef<HTMLButtonElement>(null);
  useReturnFocus();
  useEffect(() => keep.current?.focus(), []);

  async function confirm() {
    setIsBusy(true);
    try {
      await close(reason.trim() || undefined);
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
        if (event.key !== 'Escape') return;
        // In a conversation it moves the focus from a field to the heading.
        event.stopPropagation();
        onDone();
      }}
    >
      <p id="close-question">End this request? The agent can send nothing more.</p>
      <div className={styles.reason}>
        <TextField
          label="Reason (optional)"
          hint={
            isEncrypted
              ? 'The agent sees it. It is not encrypted: the relay can read it.'
              : 'The agent sees it.'
          }
          maxLength={500}
          dir="auto"
          autoComplete="off"
          value={reason}
          onChange={({ target }) => onReason(target.value)}
        />
      </div>
      <div className={styles.choices}>
        <Button look="danger" isBusy={isBusy} onClick={() => void confirm()}>
          End it now
        </Button>
        <Button ref={keep} onClick={onDone}>
          Keep open
        </Button>
      </div>
      {failure && (
        <p role="alert" className={styles.failure}>
          Not ended. {failure.what} {failure.next}
        </p>
      )}
    </fieldset>
  );
}
