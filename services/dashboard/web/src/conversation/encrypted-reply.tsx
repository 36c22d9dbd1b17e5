import { confidentialQuestion } from '@expert-relay/sdk';
import { type ReactNode, useEffect, useState } from 'react';
import { useAppContext, useExpertKey } from '../app-context/app-context.tsx';
import { MakeExpertKey } from '../expert-key/make-expert-key.tsx';
import { OpenExpertKey } from '../expert-key/open-expert-key.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { focusHeader } from './conversation-header.tsx';
import { canReply } from './conversation-state.ts';
import { describeForm } from './open-form.ts';
import { ReadFirst } from './read-first.tsx';
import { actionSentence, codeOf, type Sentence } from './refusal-sentences.ts';
import styles from './reply-area.module.css';
import type { useConversation } from './use-conversation.ts';
import { useReadFirst } from './use-read-first.ts';

/** Where a request can be answered, the expert key is read again after this time: another device may have replaced it. */
const outdatedMs = 60_000;

interface EncryptedReplyProps {
  readonly conversation: ReturnType<typeof useConversation>;
  readonly reply: (isFocused: boolean) => ReactNode;
  /** What the expert has written before, while nothing can be sent. */
  readonly kept: ReactNode;
}

/** An encrypted request is picked up first, with the expert key. */
export function EncryptedReply({ conversation, reply, kept }: EncryptedReplyProps) {
  const { expertKey } = useAppContext();
  const key = useExpertKey();
  const isPickedUp = conversation.now.request?.isPickedUp === true;
  const isConfidential = conversation.now.request?.question === confidentialQuestion;
  const [isAnswering, setIsAnswering] = useState(false);
  const [hasOpened, setHasOpened] = useState(false);
  const [failure, setFailure] = useState<Sentence>();
  const isReady = key.kind === 'ready';
  const readFirst = useReadFirst(conversation);

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

  useEffect(() => {
    // The question comes now: it is read before the answer is written.
    if (isConfidential && isPickedUp && isAnswering) focusHeader();
  }, [isConfidential, isPickedUp, isAnswering]);

  if (key.kind === 'loading') return <p className={styles.quiet}>Reading your expert key…</p>;
  if (canReply(conversation.now, isReady)) return reply((isAnswering && !isConfidential) || hasOpened);
  return (
    <>
      {step()}
      {kept}
    </>
  );

  function step(): ReactNode {
    if (key.kind === 'unsupported') {
      return (
        <Notice title="This request is encrypted.">
          <p>
            {key.reason === 'insecure'
              ? 'Encrypted answers need https (or localhost). Open Expert Relay at its https address to answer it.'
              : 'This browser is too old to encrypt answers. Update it, or answer with another one.'}
          </p>
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
      <div className={styles.answer}>
        {failure && (
          <p role="alert" className={styles.failure}>
            {failure.what} {failure.next}
          </p>
        )}
        <p className={styles.quiet}>
          {isConfidential
            ? 'The agent sends its question once you pick the request up. Only you and this agent can read it.'
            : `${describeForm(conversation.now.request?.form)} Only you and this agent can read your answer.`}
        </p>
        <ReadFirst hint={readFirst.hint} />
        <Button
          look="main"
          isBusy={isAnswering}
          data-reply=""
          aria-disabled={readFirst.isUnread || undefined}
          onRefusedClick={readFirst.check}
          onClick={() => readFirst.check() && setIsAnswering(true)}
        >
          {isConfidential ? 'Pick up and read' : 'Answer'}
        </Button>
      </div>
    );
  }
}
