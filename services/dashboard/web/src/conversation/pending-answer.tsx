import { hasEnded } from '@expert-relay/sdk/internal';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { type Connection, connection } from '../relay/connection.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { useStore } from '../ui/store.ts';
import { AnswerBody } from './answer-body.tsx';
import { writtenText } from './answer-content.ts';
import { bringTo } from './bring-to.ts';
import { type ConversationState, isOnItsWay, type PendingAnswer } from './conversation-state.ts';
import { codeOf, type FailureCode } from './failure-codes.ts';
import { actionSentence, copyIt, type Sentence, unsentSentence } from './failure-sentences.ts';
import { giveBack } from './give-back.ts';
import styles from './reply-area.module.css';
import type { FollowedConversation } from './use-conversation.ts';
import type { Drafts } from './use-drafts.ts';
import type { Presses } from './use-presses.ts';

/** The answer that stands in place of the text box, since it was not sent. */
export function useUnsentAnswer({ pending }: ConversationState): PendingAnswer | undefined {
  const { kind } = useStore(connection);
  return pending && !isOnItsWay(pending, kind) ? pending : undefined;
}

interface PanelProps {
  readonly conversation: FollowedConversation;
  /** Where the expert can answer. Else what was written can only be copied or removed. */
  readonly reply?: ReplyParts | undefined;
}

interface ReplyParts {
  readonly drafts: Drafts;
  readonly presses: Presses;
  /** The answer is written, or decided, again. */
  readonly onChange: (as: 'form' | 'text') => void;
}

/** An answer that was not sent, why, and what the expert can do. */
export function PendingAnswerPanel({ conversation, reply }: PanelProps) {
  const answer = useUnsentAnswer(conversation.now);
  return answer && <Panel key={answer.messageId} answer={answer} conversation={conversation} reply={reply} />;
}

function Panel({ answer, conversation, reply }: PanelProps & { readonly answer: PendingAnswer }) {
  const panel = useRef<HTMLElement>(null);
  const titleId = useId();
  const { kind } = useStore(connection);
  const [problem, setProblem] = useState<Sentence>();
  const isHeld = answer.state === 'held' && reply !== undefined;
  const newest = conversation.now.messages.findLast(({ from }) => from === 'agent')?.messageId;
  useEffect(() => {
    if (isHeld && newest) bringTo(newest, () => conversation.state.get().shown.has(newest));
  }, [isHeld, newest, conversation.state]);
  useLayoutEffect(() => {
    // The box that it replaces may have had the focus.
    if (isHeld || document.activeElement === document.body) panel.current?.focus({ preventScroll: true });
  }, [isHeld]);

  const isEncrypted = conversation.now.request?.encrypted === true;
  const text = writtenText(answer, isEncrypted);
  const isDecision = answer.answer !== undefined;
  const { what, next } = describe(answer, conversation.now, kind);
  /** It is not sent without the expert. */
  const isLeft = answer.state === 'held' || answer.state === 'refused';

  const remove = () =>
    conversation.remove().catch((error: unknown) => {
      setProblem(whyItStays(codeOf(error)));
      return false;
    });

  async function change({ drafts, onChange }: ReplyParts): Promise<void> {
    if (await giveBack({ answer, conversation, drafts, remove })) onChange(isDecision ? 'form' : 'text');
  }

  const again = answer.state === 'held' ? 'Send anyway' : 'Try again';
  const send = () => reply?.presses.take(again, () => void conversation.sendAgain());
  return (
    <section
      ref={panel}
      className={styles.held}
      aria-labelledby={titleId}
      tabIndex={-1}
      data-delivery={answer.state}
    >
      <p id={titleId} role={isLeft ? 'alert' : 'status'} className={styles.heldTitle}>
        {what}
      </p>
      <p className={styles.quiet}>{next}</p>
      <div className={styles.heldText} dir="auto">
        <AnswerBody content={answer} conversation={conversation} />
      </div>
      {problem && (
        <p role="alert" className={styles.failure}>
          {problem.what} {problem.next}
        </p>
      )}
      <div className={styles.buttons}>
        <Button look="quiet" onClick={() => void remove()}>
          Remove
        </Button>
        {text && <CopyButton text={text} look={reply ? 'quiet' : 'plain'} label="Copy text" />}
        {reply && (
          <Button look={isHeld && isDecision ? 'main' : 'plain'} onClick={() => void change(reply)}>
            {isDecision ? 'Decide again' : 'Change it'}
          </Button>
        )}
        {reply && canSendAgain(answer) && (
          <Button
            look="main"
            isBusy={reply.presses.waitingButton !== undefined}
            aria-disabled={reply.presses.isAway() || undefined}
            onDisabledClick={send}
            onClick={send}
          >
            {again}
          </Button>
        )}
      </div>
    </section>
  );
}

/** A decision that has not seen a newer message does not count, and the same content would be refused again. */
const canSendAgain = ({ state, code, answer }: PendingAnswer): boolean =>
  state === 'refused' ? !answer && !(code && wouldFailAgain.has(code)) : state !== 'held' || !answer;

const wouldFailAgain: ReadonlySet<FailureCode> = new Set(['too_large', 'conversation_full']);

function whyItStays(code: FailureCode): Sentence {
  const { what, next } = actionSentence(code);
  return { what: `The agent may have it already. ${what}`, next };
}

/** Why it was not sent, and what happens next. */
function describe(
  { state, code = 'unavailable', answer }: PendingAnswer,
  { request, refusal }: ConversationState,
  connected: Connection['kind'],
): Sentence {
  const isOver = request !== undefined && hasEnded(request);
  if (refusal && !isOver) return { what: 'Not sent: see the warning.', next: copyIt };
  if (isOver || state === 'refused') {
    const ended = request?.status === 'expired' ? 'expired' : 'closed';
    const { what, next } = unsentSentence(isOver ? ended : code, connected === 'online');
    return { what: `Not sent. ${what}`, next };
  }
  if (state !== 'held') return { what: 'Not sent yet.', next: waiting[connected] };
  return answer
    ? {
        what: 'Your decision was not sent',
        next: 'The agent wrote meanwhile, or some time has passed. Read what is new, then decide again.',
      }
    : {
        what: 'The agent wrote meanwhile',
        next: 'Your answer was not sent. Read the new message, then decide.',
      };
}

/** When an answer that waits is sent. */
const waiting: Record<Connection['kind'], string> = {
  online: 'It is sent again in a moment, while this page is open.',
  offline: 'It is sent once the relay can be reached, while this page is open.',
  unreachable: 'It is sent once the relay can be reached, while this page is open.',
  limited: 'Too many calls: it is sent within a minute.',
  'signed-out': 'It is sent once you have signed in again.',
};
