import { useExpertKey } from '../app-context/app-context.tsx';
import { type Connection, connection } from '../calls/connection.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { useStore } from '../ui/store.ts';
import { AnswerBody } from './answer-body.tsx';
import { canReply, hasEnded, type PendingAnswer } from './conversation-state.ts';
import styles from './exchange.module.css';
import { type FailureCode, refusedAnswerSentence } from './refusal-sentences.ts';
import type { useConversation } from './use-conversation.ts';

type Conversation = ReturnType<typeof useConversation>;

/** The pending answers with their delivery state. */
export function PendingAnswers({ conversation }: { conversation: Conversation }) {
  const isHeldShown = canReply(conversation.now, useExpertKey().kind === 'ready');
  const held = conversation.now.answers.find(({ delivery }) => delivery === 'held');
  // It stands in place of the text box.
  const answers = conversation.now.answers.filter((answer) => !isHeldShown || answer !== held);
  if (answers.length === 0) return null;
  return (
    <article className={`${styles.group} ${styles.own}`}>
      <p className={styles.by}>
        <span className={styles.sender}>You</span>
      </p>
      {answers.map((answer) => (
        <div key={answer.key} className={styles.message} data-delivery={answer.delivery}>
          <AnswerBody content={answer} conversation={conversation} />
          <Delivery answer={answer} conversation={conversation} />
        </div>
      ))}
    </article>
  );
}

function Delivery({ answer, conversation }: { answer: PendingAnswer; conversation: Conversation }) {
  const { kind } = useStore(connection);
  const { request, refusal } = conversation.now;
  const isOver = request === undefined || hasEnded(request);
  const { delivery, code = 'unreachable' } = answer;
  const wayOut = (
    <>
      {answer.text && <CopyButton text={answer.text} label="Copy text" />}
      <Button look="quiet" onClick={() => void conversation.discard(answer)}>
        Remove
      </Button>
    </>
  );
  if (delivery !== 'refused') {
    // What is sent at this moment cannot be taken back.
    const isWaiting = delivery !== 'sent' && (delivery !== 'sending' || kind !== 'online');
    return (
      <>
        <p className={styles.remark} role="status">
          {refusal && isWaiting ? 'Not sent: see the warning below.' : describe(answer, kind)}
        </p>
        {isWaiting && <div className={styles.wayOut}>{wayOut}</div>}
      </>
    );
  }
  const { what, next } = refusedAnswerSentence(code, kind === 'online');
  // The expert decides again with the form.
  const isDecision = answer.answer !== undefined;
  return (
    <div className={styles.refused} role="alert">
      <p>
        <strong>Not sent.</strong> {what} {next}
      </p>
      <div className={styles.actions}>
        {!isOver && !isDecision && !wouldFailAgain.has(code) && (
          <Button onClick={() => void conversation.sendAgain(answer)}>Try again</Button>
        )}
        {wayOut}
      </div>
    </div>
  );
}

/** Why the same text would be refused again. */
const wouldFailAgain: ReadonlySet<FailureCode> = new Set(['message_too_large', 'conversation_full']);

/** When an answer that waits is sent. */
const waiting: Record<Connection['kind'], string> = {
  online: 'Waiting to be sent…',
  offline: 'Waiting: it will be sent once the relay can be reached.',
  unreachable: 'Waiting: it will be sent once the relay can be reached.',
  limited: 'Waiting: too many calls. It will be sent within a minute.',
  'signed-out': 'Waiting: it will be sent once you have signed in again.',
};

function describe({ delivery, answer }: PendingAnswer, kind: Connection['kind']): string {
  if (delivery === 'sent') return 'Sent';
  // It may also be held for its age.
  if (delivery === 'held') return answer ? 'Not sent: decide again.' : 'Not sent: the agent wrote meanwhile.';
  return delivery === 'sending' && kind === 'online' ? 'Sending…' : waiting[kind];
}
