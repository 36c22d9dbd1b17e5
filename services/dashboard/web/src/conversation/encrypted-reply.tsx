import { type ReactNode, useEffect, useState } from 'react';
import { MakeExpertKey } from '../expert-key/make-expert-key.tsx';
import { OpenExpertKey } from '../expert-key/open-expert-key.tsx';
import { useAppContext, useExpertKey } from '../session/app-context.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { AwaitedParts, describeParts } from './awaited-parts.tsx';
import { canReply } from './conversation-state.ts';
import { focusHeader } from './focus-header.ts';
import { actionSentence, codeOf, type Sentence } from './refusal-sentences.ts';
import styles from './reply-area.module.css';
import type { useConversation } from './use-conversation.ts';
import { type Presses, ReplyLine } from './use-presses.tsx';

/** Where a request can be answered, the expert key is read again after this time: another device may have replaced it. */
const outdatedMs = 60_000;

interface EncryptedReplyProps {
  readonly conversation: ReturnType<typeof useConversation>;
  readonly presses: Presses;
  readonly reply: (isFocused: boolean) => ReactNode;
  /** What the expert has written before, while nothing can be sent. */
  readonly kept: (title: string) => ReactNode;
}

/** An encrypted request is picked up first, with the expert key. */
export function EncryptedReply({ conversation, presses, reply, kept }: EncryptedReplyProps) {
  const { expertKey } = useAppContext();
  const key = useExpertKey();
  const { request, pickedUpAt } = conversation.now;
  const isPickedUp = request?.isPickedUp === true;
  const missing = request?.missingParts;
  const [isAnyway, setIsAnyway] = useState(false);
  const [isAnswering, setIsAnswering] = useState(false);
  const [hasOpened, setHasOpened] = useState(false);
  const [failure, setFailure] = useState<Sentence>();
  const isReady = key.kind === 'ready';

  const { pickUp } = conversation;
  useEffect(() => {
    // After "Answer" was pressed, and after the key was made or opened, if that was needed.
    if (!isAnswering || !isReady || isPickedUp) return;
    let isCurrent = true;
    setFailure(undefined);
    const pickUpWithNewestKey = async () => {
      // Another device may have replaced the key since this page read it.
      await expertKey.refresh(0).catch(() => {});
      if (expertKey.state.get().kind === 'ready') await pickUp();
    };
    pickUpWithNewestKey().catch((error: unknown) => {
      if (!isCurrent) return;
      setFailure(actionSentence(codeOf(error)));
      setIsAnswering(false);
    });
    return () => {
      isCurrent = false;
    };
  }, [isAnswering, isReady, isPickedUp, pickUp, expertKey]);
  useEffect(() => {
    if (!isPickedUp) void expertKey.refresh(outdatedMs).catch(() => {});
  }, [isPickedUp, expertKey]);

  const isComing = missing !== undefined && !isAnyway;
  const [wasComing, setWasComing] = useState(false);
  useEffect(() => {
    // What comes now is read before the answer is written.
    if (!isComing || !isPickedUp || !isAnswering) return;
    setWasComing(true);
    focusHeader();
  }, [isComing, isPickedUp, isAnswering]);

  const answer = () => presses.take('Answer', () => setIsAnswering(true));

  if (key.kind === 'loading') return <p className={styles.quiet}>Reading your expert key…</p>;
  if (canReply(conversation.now, isReady)) {
    if (!isComing) return reply((isAnswering && !wasComing) || hasOpened);
    return (
      <>
        <AwaitedParts missing={missing} pickedUpAt={pickedUpAt} onAnyway={() => setIsAnyway(true)} />
        {kept('What you wrote can be sent then.')}
      </>
    );
  }
  return (
    <>
      {step()}
      {kept('What you wrote can be sent once this request is picked up here.')}
    </>
  );

  function step(): ReactNode {
    if (key.kind === 'unsupported') {
      return (
        <Notice title="This request is encrypted.">
          <p>This browser is too old to encrypt answers. Update it, or answer with another one.</p>
        </Notice>
      );
    }
    if (key.kind === 'locked' || key.kind === 'replaced') {
      return (
        <div className={styles.panel}>
          <OpenExpertKey onDone={() => setHasOpened(true)} />
        </div>
      );
    }
    if (key.kind === 'missing' && isAnswering) {
      return (
        <div className={styles.panel}>
          <MakeExpertKey onDone={() => {}} onCancel={() => setIsAnswering(false)} />
        </div>
      );
    }
    return (
      <div className={`${styles.answer} ${styles.open}`}>
        {failure && (
          <p role="alert" className={styles.failure}>
            {failure.what} {failure.next}
          </p>
        )}
        <ReplyLine hint={presses.hint}>
          {missing && (
            <p className={styles.quiet}>
              The agent sends {describeParts(missing)} once you open the request.
            </p>
          )}
        </ReplyLine>
        <Button
          look="main"
          isBusy={isAnswering || presses.waiting !== undefined}
          data-reply=""
          aria-disabled={presses.isAway() || undefined}
          onRefusedClick={answer}
          onClick={answer}
        >
          {missing ? 'Open' : 'Answer'}
        </Button>
      </div>
    );
  }
}
