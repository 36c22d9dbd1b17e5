import { Suspense } from 'react';
import { AgentText } from '../text/agent-text.tsx';
import { TextEnd } from '../text/text-end.tsx';
import { lazyPage } from '../ui/lazy-page.tsx';
import { type AnswerContent, writtenText } from './answer-content.ts';
import styles from './exchange.module.css';
import { formOf } from './open-form.ts';
import type { FollowedConversation } from './use-conversation.ts';

const Decision = lazyPage(async () => (await import('../forms/decision.tsx')).Decision);
const MessageFiles = lazyPage(async () => (await import('../forms/message-files.tsx')).MessageFiles);

interface AnswerBodyProps {
  readonly content: AnswerContent;
  readonly conversation: FollowedConversation;
  readonly isFirst?: boolean;
  readonly isOwn?: boolean;
  /** The name under which its end is noted as shown. */
  readonly end?: string;
}

/** What a message says: a decision, files, and its text with the end. */
export function AnswerBody({ content, conversation, isFirst = true, isOwn = true, end }: AnswerBodyProps) {
  const { answer, unreadableAnswer, files } = content;
  const text = writtenText(content, conversation.now.request?.encrypted === true);
  const body = text ? (
    <AgentText text={text} isFirst={isFirst} isOwn={isOwn} end={end} />
  ) : (
    end && <TextEnd name={end} />
  );
  const hasDecision = answer !== undefined || unreadableAnswer;
  if (!hasDecision && !files) return body;
  return (
    <Suspense fallback={<p>Loading…</p>}>
      {hasDecision && <Decision answer={answer} form={answer && formOf(conversation.now, answer.of)} />}
      {files && <MessageFiles files={files} />}
      {hasDecision && text && <p className={styles.comment}>Comment</p>}
      {body}
    </Suspense>
  );
}
