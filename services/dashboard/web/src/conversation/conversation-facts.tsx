import { hasEnded } from '@expert-relay/sdk/internal';
import { type ReactNode, useEffect, useRef } from 'react';
import { useListHref } from '../shell/list-address.ts';
import { useCopy } from '../ui/copy-button.tsx';
import { LockIcon } from '../ui/icons.tsx';
import { Tags } from '../ui/tags.tsx';
import { describeTimeLeft, type TimeLeft, useNow } from '../ui/time.tsx';
import styles from './conversation-header.module.css';
import type { ConversationState } from './conversation-state.ts';
import { describeState } from './group-messages.ts';
import { describeSnooze } from './triage.ts';

interface FactsProps {
  readonly conversation: ConversationState;
  readonly snoozedUntil: string | undefined;
  readonly isComparing: boolean;
  /** Opens the comparison of fingerprints, or closes it. */
  readonly onCompare: () => void;
}

/** The code of the request, its state, and its time. */
export function ConversationFacts({ conversation, snoozedUntil, isComparing, onCompare }: FactsProps) {
  const { request, messages, sent } = conversation;
  const now = useNow();
  const listHref = useListHref();
  if (!request) return null;
  const left = hasEnded(request) ? undefined : describeTimeLeft(request.expiresAt, now);
  return (
    <div className={styles.facts}>
      <RefCode code={request.refCode} />
      {request.encrypted ? (
        <button
          type="button"
          className={styles.fact}
          aria-expanded={isComparing}
          onClick={onCompare}
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
      <Fact>{describeState(request, messages, sent)}</Fact>
      {snoozedUntil && <Fact>{describeSnooze(snoozedUntil, request.expiresAt)}</Fact>}
      {left && <Fact urgency={left.urgency}>{left.text}</Fact>}
      <Tags tags={request.tags} hrefOf={(tag) => listHref({ tag })} />
    </div>
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
