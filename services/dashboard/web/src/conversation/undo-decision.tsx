import { useEffect, useRef } from 'react';
import { describeDecision } from '../forms/describe-decision.ts';
import { Button } from '../ui/button.tsx';
import { useEscape } from '../ui/escape.ts';
import type { PendingAnswer } from './conversation-state.ts';
import { giveBack } from './give-back.ts';
import { formOf, isDecided } from './open-form.ts';
import styles from './reply-area.module.css';
import type { FollowedConversation } from './use-conversation.ts';
import type { Drafts } from './use-drafts.ts';

interface UndoDecisionProps {
  readonly answer: PendingAnswer;
  readonly conversation: FollowedConversation;
  readonly drafts: Drafts;
  /** It is not sent. `why`: what has changed, unless the expert took it back. */
  readonly onTakenBack: (why: string) => void;
}

/** Stands in place of the buttons while a decision is not sent yet. */
export function UndoDecision({ answer, conversation, drafts, onTakenBack }: UndoDecisionProps) {
  const { now } = conversation;
  const isTakingBack = useRef(false);
  async function takeBack(why: string): Promise<void> {
    if (isTakingBack.current) return;
    isTakingBack.current = true;
    const isBack = await giveBack({ answer, conversation, drafts, remove: conversation.remove });
    if (isBack) onTakenBack(why);
  }
  const latest = useRef(takeBack);
  latest.current = takeBack;

  const written = now.messages.filter(({ from }) => from === 'agent').length;
  const atPress = useRef(written);
  const isDecidedElsewhere = now.request !== undefined && isDecided(now.request);
  useEffect(() => {
    if (written !== atPress.current) void latest.current('Not sent: the agent wrote meanwhile.');
    else if (isDecidedElsewhere) void latest.current('Not sent: it was decided elsewhere.');
  }, [written, isDecidedElsewhere]);
  useEscape(true, () => void takeBack(''));

  const { title } = describeDecision(answer.answer, answer.answer && formOf(now, answer.answer.of));
  return (
    <div className={styles.undo} data-undo="">
      <p role="status">{title}. It is sent in a moment.</p>
      <Button onClick={() => void takeBack('')}>Undo</Button>
    </div>
  );
}
