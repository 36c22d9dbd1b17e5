import { useEffect, useId, useRef } from 'react';
import type { Draft } from '../drafts/drafts.ts';
import { Button } from '../ui/button.tsx';
import type { PendingAnswer } from './conversation-state.ts';
import { ReadFirst } from './read-first.tsx';
import styles from './reply-area.module.css';
import type { useConversation } from './use-conversation.ts';
import { bringTo, useReadFirst } from './use-read-first.ts';

interface HeldAnswerProps {
  readonly answer: PendingAnswer;
  readonly conversation: ReturnType<typeof useConversation>;
  readonly draft: Draft;
}

/** Stands in place of the text box while an answer is held: the agent has written meanwhile. */
export function HeldAnswer({ answer, conversation, draft }: HeldAnswerProps) {
  const panel = useRef<HTMLElement>(null);
  const titleId = useId();
  const readFirst = useReadFirst(conversation);
  const newest = conversation.now.messages.findLast(({ role }) => role === 'consumer')?.messageId;
  useEffect(() => {
    if (newest) bringTo(newest);
  }, [newest]);
  useEffect(() => panel.current?.focus({ preventScroll: true }), []);

  const change = () =>
    conversation.takeBack(async (text) => {
      draft.write([text, draft.text.get()].filter(Boolean).join('\n\n'));
      await draft.save();
    });

  return (
    <section ref={panel} className={styles.held} aria-labelledby={titleId} tabIndex={-1}>
      <p id={titleId} role="alert" className={styles.heldTitle}>
        The agent wrote meanwhile
      </p>
      <p className={styles.quiet}>Your answer was not sent. Read the new message, then decide.</p>
      <blockquote className={styles.heldText} dir="auto">
        {answer.text}
      </blockquote>
      <ReadFirst hint={readFirst.hint} />
      <div className={styles.buttons}>
        <Button onClick={() => void change()}>Change it</Button>
        <Button
          look="main"
          aria-disabled={readFirst.isUnread || undefined}
          onRefusedClick={readFirst.check}
          onClick={() => readFirst.check() && void conversation.sendAnyway(answer)}
        >
          Send anyway
        </Button>
      </div>
    </section>
  );
}
