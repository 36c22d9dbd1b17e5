import { type ReactNode, useEffect, useState } from 'react';
import { MakeExpertKey } from '../expert-key/make-expert-key.tsx';
import { OpenExpertKey } from '../expert-key/open-expert-key.tsx';
import { useExpertKey } from '../services/services.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { hasEnded } from './conversation-state.ts';
import { describeForm } from './open-form.ts';
import { confidentialQuestion } from './question.tsx';
import { ReadFirst } from './read-first.tsx';
import { actionSentence, codeOf, refusalSentence, type Sentence } from './refusal-sentences.ts';
import { Reply, type ReplyProps } from './reply.tsx';
import styles from './reply-area.module.css';
import { useReadFirst } from './use-read-first.ts';

type ReplyAreaProps = Omit<ReplyProps, 'isFocused'>;

/** Where the expert answers: a text box, or the step that is needed before. */
export function ReplyArea(props: ReplyAreaProps) {
  const { conversation } = props;
  const { request, refusal } = conversation.now;
  if (!request) return null;
  const isOver = hasEnded(request);
  if (refusal && !isOver) {
    return (
      <div className={styles.area}>
        <Warning sentence={refusalSentence(refusal)} onReadAgain={conversation.readAgain} />
      </div>
    );
  }
  if (isOver) {
    return (
      <div className={styles.area}>
        {refusal && <Warning sentence={refusalSentence(refusal)} onReadAgain={conversation.readAgain} />}
        <p className={styles.quiet}>This request has ended. Nothing more can be sent.</p>
        <ReadingKey conversation={conversation} />
      </div>
    );
  }
  const reply = (isFocused: boolean) => <Reply {...props} isFocused={isFocused} />;
  return (
    <div className={styles.area}>
      {request.encrypted ? <EncryptedReply conversation={conversation} reply={reply} /> : reply(false)}
    </div>
  );
}

/** An encrypted request is picked up first, with the expert key. */
function EncryptedReply({
  conversation,
  reply,
}: {
  conversation: ReplyAreaProps['conversation'];
  reply: (isFocused: boolean) => ReactNode;
}) {
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
    pickUp().catch((error: unknown) => {
      if (!isCurrent) return;
      setFailure(actionSentence(codeOf(error)));
      setIsAnswering(false);
    });
    return () => {
      isCurrent = false;
    };
  }, [isAnswering, isReady, isPickedUp, pickUp]);

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
  if (key.kind === 'loading') return <p className={styles.quiet}>Reading your expert key…</p>;
  if (key.kind === 'locked' || key.kind === 'replaced') {
    return (
      <div className={styles.panel}>
        <OpenExpertKey onDone={() => setHasOpened(true)} />
      </div>
    );
  }
  if (isReady && isPickedUp) return reply(isAnswering || hasOpened);
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

/** The messages of an ended conversation can still be read with the expert key. */
function ReadingKey({ conversation }: { conversation: ReplyAreaProps['conversation'] }) {
  const key = useExpertKey();
  if (!conversation.now.needsKey || (key.kind !== 'locked' && key.kind !== 'replaced')) return null;
  return (
    <div className={styles.panel}>
      <OpenExpertKey onDone={() => {}} />
    </div>
  );
}

function Warning({ sentence, onReadAgain }: { sentence: Sentence; onReadAgain: () => void }) {
  return (
    <Notice
      kind="danger"
      title={sentence.what}
      actions={<Button onClick={onReadAgain}>Read it again</Button>}
    >
      <p>{sentence.next}</p>
    </Notice>
  );
}
