import { confidentialQuestion } from '@expert-relay/sdk';
import { showHidden } from '@expert-relay/sdk/safe';
import { useState } from 'react';
import { AgentText } from '../text/agent-text.tsx';
import { Time } from '../ui/time.tsx';
import type { RequestView } from './conversation-state.ts';
import styles from './question.module.css';
import { contextEnd, plaintextEnd, plaintextOf, questionEnd } from './shown-texts.ts';

const openMessages = 3;
/** The header may cut off a longer name. */
const shortName = 24;
/** A question of at most this length is larger than the rest. */
const shortLength = 240;

interface QuestionProps {
  readonly request: RequestView;
  /** The texts whose ends the expert has been shown. */
  readonly shown: ReadonlySet<string>;
}

/** The agent's question and its context. */
export function Question({ request, shown }: QuestionProps) {
  const { agentName, question, context, createdAt, encrypted, erasedAt } = request;
  if (erasedAt) return null;
  const folded = context.slice(0, Math.max(0, context.length - openMessages));
  const open = context.slice(folded.length);
  const variant = plaintextOf(request);
  const name = showHidden(agentName ?? '');
  return (
    <article className={styles.question} aria-label="Question">
      <div className={styles.text} data-short={question.length <= shortLength || undefined}>
        <AgentText text={question} isFirst end={questionEnd} />
      </div>
      <p className={styles.note}>
        Asked <Time at={createdAt} details />
        {name.length > shortName && (
          <>
            {' by '}
            <bdi>{name}</bdi>
          </>
        )}
        .{encrypted && question === confidentialQuestion && ' The question itself is encrypted.'}
      </p>
      {variant && (
        <section aria-labelledby="plain-variant">
          <h2 id="plain-variant" className={styles.heading}>
            As plain text
          </h2>
          <AgentText text={variant} isFirst end={plaintextEnd} />
        </section>
      )}
      {context.length > 0 && (
        <section aria-labelledby="context" className={styles.context}>
          <h2 id="context" className={styles.heading}>
            Messages before the question
          </h2>
          {folded.length > 0 && <OlderMessages messages={folded} shown={shown} />}
          <ContextMessages messages={open} from={folded.length} isFirst />
        </section>
      )}
    </article>
  );
}

const roles: ReadonlyMap<string, string> = new Map([
  ['user', 'User'],
  ['assistant', 'Agent'],
  ['system', 'Instructions'],
  ['tool', 'Tool'],
]);

/** They are open until the expert has been shown them, since the expert signs them, too. */
function OlderMessages({
  messages,
  shown,
}: {
  messages: RequestView['context'];
  shown: QuestionProps['shown'];
}) {
  const [isOpen] = useState(() => !messages.every((_, index) => shown.has(contextEnd(index))));
  return (
    <details className={styles.folded} open={isOpen}>
      <summary>{messages.length === 1 ? '1 older message' : `${messages.length} older messages`}</summary>
      <ContextMessages messages={messages} from={0} />
    </details>
  );
}

interface ContextMessagesProps {
  readonly messages: RequestView['context'];
  /** The position of the first one in the context. */
  readonly from: number;
  readonly isFirst?: boolean;
}

function ContextMessages({ messages, from, isFirst = false }: ContextMessagesProps) {
  return (
    <ul className={styles.messages}>
      {messages.map(({ role, content }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
        <li key={index} className={styles.message}>
          <p className={styles.role}>
            <bdi>{roles.get(role) ?? showHidden(role)}</bdi>
          </p>
          <AgentText text={content} isFirst={isFirst} end={contextEnd(from + index)} />
        </li>
      ))}
    </ul>
  );
}
