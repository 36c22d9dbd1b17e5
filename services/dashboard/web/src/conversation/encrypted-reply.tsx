import type { Follows } from '@expert-relay/sdk';
import { type ReactNode, useState } from 'react';
import { ExpertKeyPanel } from '../expert-key/expert-key-panel.tsx';
import { useExpertKey } from '../session/app-context.tsx';
import { Button } from '../ui/button.tsx';
import { useAction } from '../ui/use-action.ts';
import { AwaitedParts, describeParts } from './awaited-parts.tsx';
import { codeOf } from './failure-codes.ts';
import { actionSentence } from './failure-sentences.ts';
import styles from './reply-area.module.css';
import type { FollowedConversation } from './use-conversation.ts';
import type { Presses } from './use-presses.ts';

interface EncryptedReplyProps {
  readonly conversation: FollowedConversation;
  readonly presses: Presses;
  readonly reply: (isFocused: boolean) => ReactNode;
  /** What the expert has written before, while nothing can be sent. */
  readonly kept: (title: string) => ReactNode;
}

/**
 * An encrypted request is picked up by the press that answers it, and the expert key is asked for at that press. Only what the agent
 * sends after the pick-up needs a press before.
 */
export function EncryptedReply({ conversation, presses, reply, kept }: EncryptedReplyProps) {
  const { kind } = useExpertKey();
  const { request, needsKey } = conversation.now;
  const isPickedUp = request?.isPickedUp === true;
  const missing = request?.missingParts;
  const [isAnyway, setIsAnyway] = useState(false);
  const [hasOpened, setHasOpened] = useState(false);

  if (kind === 'loading') return <p className={styles.quiet}>Reading your expert key…</p>;
  if (presses.needsKey || kind === 'unsupported' || (needsKey && kind !== 'ready')) {
    return (
      <>
        <div className={styles.panel}>
          {presses.needsKey ? (
            <>
              <p className={styles.waits}>
                <b>{presses.waitingButton}</b> waits for this step, and is done then, unless you cancel it or
                something changes in the request.
              </p>
              <ExpertKeyPanel onDone={() => {}} onCancel={presses.cancel} />
            </>
          ) : (
            <ExpertKeyPanel onDone={() => setHasOpened(true)} />
          )}
        </div>
        {!presses.needsKey && kept('What you wrote can be sent once your key is in this browser.')}
      </>
    );
  }
  if (!missing || isAnyway) return reply(hasOpened);
  return (
    <>
      {isPickedUp ? (
        <AwaitedParts missing={missing} onAnyway={() => setIsAnyway(true)} />
      ) : (
        <OpenRequest conversation={conversation} presses={presses} missing={missing} />
      )}
      {kept('What you wrote can be sent then.')}
    </>
  );
}

interface OpenRequestProps {
  readonly conversation: FollowedConversation;
  readonly presses: Presses;
  readonly missing: Follows;
}

/** Picks the request up, since files or the question itself come only then. */
function OpenRequest({ conversation, presses, missing }: OpenRequestProps) {
  const opening = useAction(conversation.pickUp);
  const failure = opening.error === undefined ? undefined : actionSentence(codeOf(opening.error));
  const open = () => presses.take('Open', () => void opening.run());
  return (
    <div className={`${styles.answer} ${styles.open}`}>
      {failure && (
        <p role="alert" className={styles.failure}>
          {failure.what} {failure.next}
        </p>
      )}
      <p className={styles.quiet}>The agent sends {describeParts(missing)} once you open the request.</p>
      <Button
        look="main"
        isBusy={opening.isBusy || presses.waitingButton !== undefined}
        data-reply=""
        aria-disabled={presses.isAway() || undefined}
        onDisabledClick={open}
        onClick={open}
      >
        Open
      </Button>
    </div>
  );
}
