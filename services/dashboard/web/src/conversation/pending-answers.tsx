import { connection } from '../calls/connection.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { useStore } from '../ui/store.ts';
import { AnswerBody } from './answer-body.tsx';
import { hasEnded, type PendingAnswer } from './conversation-state.ts';
import styles from './exchange.module.css';
import { type FailureCode, refusedAnswerSentence } from './refusal-sentences.ts';
import type { useConversation } from './use-conversation.ts';

type Conversation = ReturnType<typeof useConversation>;

/** The pending answers with their delivery state. */
export function PendingAnswers({ conversation }: { conversation: Conversation }) {
  const { answers } = conversation.now;
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
  const isOnline = useStore(connection).kind === 'online';
  const { request } = conversation.now;
  const isOver = request !== undefined && hasEnded(request);
  const { delivery, code = 'unreachable' } = answer;
  if (delivery !== 'refused') {
    return (
      <p className={styles.remark} role="status">
        {describe(delivery, isOnline)}
      </p>
    );
  }
  const { what, next } = refusedAnswerSentence(code, isOnline);
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
        {answer.text && <CopyButton text={answer.text} label="Copy text" />}
        <Button look="quiet" onClick={() => void conversation.discard(answer)}>
          Remove
        </Button>
      </div>
    </div>
  );
}

/** Why the same text would be refused again. */
const wouldFailAgain: ReadonlySet<FailureCode> = new Set(['message_too_large', 'conversation_full']);

function describe(delivery: PendingAnswer['delivery'], isOnline: boolean): string {
  if (delivery === 'sent') return 'Sent';
  if (delivery === 'held') return 'Not sent yet: the agent wrote meanwhile.';
  return delivery === 'sending' && isOnline ? 'Sending…' : waiting(isOnline);
}

const waiting = (isOnline: boolean) =>
  isOnline ? 'Waiting to be sent…' : 'Waiting: it will be sent once the relay can be reached.';
