import { showHidden } from '@expert-relay/sdk/text';
import { Time } from '../ui/time.tsx';
import type { RequestView } from './conversation-state.ts';
import styles from './question.module.css';
import { RichText } from './rich-text.tsx';
import { contextEnd, questionEnd } from './shown-texts.ts';
import { TextEnd } from './text-end.tsx';

/** The question of a confidential submit. The real one comes encrypted, after the pick-up. */
export const confidentialQuestion = 'A confidential question: pick it up to read it.';

const openMessages = 3;
/** A question of at most this length is larger than the rest. */
const shortLength = 240;

/** The agent's question and its context. */
export function Question({ request }: { request: RequestView }) {
  const { question, plaintext, context, createdAt, encrypted, erasedAt } = request;
  if (erasedAt) return null;
  const folded = context.slice(0, Math.max(0, context.length - openMessages));
  const open = context.slice(folded.length);
  const variant = plaintext && plaintext !== question ? plaintext : undefined;
  return (
    <article className={styles.question} aria-label="Question">
      <div className={styles.text} data-short={question.length <= shortLength || undefined}>
        <RichText text={question} isFirst end={questionEnd} />
      </div>
      <p className={styles.note}>
        Asked <Time at={createdAt} details />
        {encrypted &&
          (question === confidentialQuestion
            ? '. The question itself is encrypted.'
            : '. The relay can read the question. Only you and this agent can read the answers.')}
      </p>
      {variant && (
        <section aria-labelledby="plain-variant">
          <h2 id="plain-variant" className={styles.heading}>
            As plain text
          </h2>
          <RichText text={variant} isFirst />
        </section>
      )}
      {context.length > 0 && (
        <section aria-labelledby="context" className={styles.context}>
          <h2 id="context" className={styles.heading}>
            Messages before the question
          </h2>
          {folded.length > 0 && (
            <details className={styles.folded}>
              <summary>{folded.length === 1 ? '1 older message' : `${folded.length} older messages`}</summary>
              <ContextMessages messages={folded} />
            </details>
          )}
          <ContextMessages messages={open} isFirst />
          <TextEnd name={contextEnd} />
        </section>
      )}
    </article>
  );
}

const roles: Readonly<Record<string, string>> = {
  user: 'User',
  assistant: 'Agent',
  system: 'Instructions',
  tool: 'Tool',
};

function ContextMessages({
  messages,
  isFirst = false,
}: {
  messages: RequestView['context'];
  isFirst?: boolean;
}) {
  return (
    <ul className={styles.messages}>
      {messages.map(({ role, content }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
        <li key={index} className={styles.message}>
          <p className={styles.role}>
            <bdi>{roles[role] ?? showHidden(role.slice(0, 40))}</bdi>
          </p>
          <RichText text={content} isFirst={isFirst} />
        </li>
      ))}
    </ul>
  );
}
