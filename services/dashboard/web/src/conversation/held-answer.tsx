import { useEffect, useId, useRef } from 'react';
import type { Drafts } from '../drafts/use-drafts.ts';
import { Button } from '../ui/button.tsx';
import { loadCode } from '../ui/lazy-page.tsx';
import { AnswerBody } from './answer-body.tsx';
import { bringTo } from './bring-to.ts';
import type { PendingAnswer } from './conversation-state.ts';
import { formOf } from './open-form.ts';
import styles from './reply-area.module.css';
import type { useConversation } from './use-conversation.ts';
import { type Presses, ReplyLine } from './use-presses.tsx';

interface HeldAnswerProps {
  readonly answer: PendingAnswer;
  readonly conversation: ReturnType<typeof useConversation>;
  readonly drafts: Drafts;
  readonly presses: Presses;
  readonly onTakeBack: (as: 'form' | 'text') => void;
}

/** Stands in place of the text box while an answer is held: the agent has written meanwhile. */
export function HeldAnswer({ answer, conversation, drafts, presses, onTakeBack }: HeldAnswerProps) {
  const panel = useRef<HTMLElement>(null);
  const titleId = useId();
  const isDecision = answer.answer !== undefined;
  const newest = conversation.now.messages.findLast(({ role }) => role === 'consumer')?.messageId;
  useEffect(() => {
    if (newest) bringTo(newest, () => conversation.state.get().shown.has(newest));
  }, [newest, conversation.state]);
  useEffect(() => panel.current?.focus({ preventScroll: true }), []);

  const change = () => {
    onTakeBack(isDecision ? 'form' : 'text');
    return conversation.takeBack(async (waiting) => {
      const texts = waiting.map(({ text, answer }) => (answer ? '' : text));
      drafts.text.write([...texts, drafts.text.text.get()].filter(Boolean).join('\n\n'));
      await drafts.text.save();
      for (const decision of waiting) {
        if (!decision.answer) continue;
        const { keepDecision } = await loadCode(() => import('../forms/keep-decision.ts'));
        const form = formOf(conversation.now, decision.answer.of);
        await keepDecision(decision, form, drafts.form);
      }
      const files = waiting.flatMap(({ files = [] }) => files);
      conversation.files.set([...files, ...conversation.files.get()]);
      await conversation.files.saved();
    });
  };

  const sendAnyway = () => presses.take('Send anyway', () => void conversation.sendAnyway(answer));

  return (
    <section ref={panel} className={styles.held} aria-labelledby={titleId} tabIndex={-1}>
      <p id={titleId} role="alert" className={styles.heldTitle}>
        {isDecision ? 'Your decision was not sent' : 'The agent wrote meanwhile'}
      </p>
      <ReplyLine hint={presses.hint}>
        <p className={styles.quiet}>
          {isDecision
            ? 'The agent wrote meanwhile, or some time has passed. Read what is new, then decide again.'
            : 'Your answer was not sent. Read the new message, then decide.'}
        </p>
      </ReplyLine>
      <div className={styles.heldText} dir="auto">
        <AnswerBody content={answer} conversation={conversation} />
      </div>
      <div className={styles.buttons}>
        <Button look={isDecision ? 'main' : 'plain'} onClick={() => void change()}>
          {isDecision ? 'Decide again' : 'Change it'}
        </Button>
        {/* A decision that has not seen a newer message does not count. */}
        {!isDecision && (
          <Button
            look="main"
            isBusy={presses.waiting !== undefined}
            aria-disabled={presses.isAway() || undefined}
            onRefusedClick={sendAnyway}
            onClick={sendAnyway}
          >
            Send anyway
          </Button>
        )}
      </div>
    </section>
  );
}
