import { Suspense } from 'react';
import { lazyPage } from '../ui/lazy-page.tsx';
import type { AnswerContent } from './answer-content.ts';
import { formOf } from './open-form.ts';
import { RichText } from './rich-text.tsx';
import { TextEnd } from './text-end.tsx';
import type { useConversation } from './use-conversation.ts';

const Decision = lazyPage(async () => (await import('../forms/decision.tsx')).Decision);
const MessageFiles = lazyPage(async () => (await import('../files/message-files.tsx')).MessageFiles);

interface AnswerBodyProps {
  readonly content: AnswerContent;
  readonly conversation: ReturnType<typeof useConversation>;
  readonly isFirst?: boolean;
  /** The name under which its end is noted as shown. */
  readonly end?: string;
}

/** What a message says: a decision, files, and its text with the end. */
export function AnswerBody({ content, conversation, isFirst = true, end }: AnswerBodyProps) {
  const { text, answerText, answerOf, files } = content;
  const { request } = conversation.now;
  const body = text ? <RichText {...{ text, isFirst, end }} /> : end && <TextEnd name={end} />;
  // Without encryption, the text says the same as the decision.
  const decision = request?.encrypted ? answerText : undefined;
  if (decision === undefined && !files) return body;
  return (
    <Suspense fallback={<p>Loading…</p>}>
      {decision !== undefined && (
        <Decision answerText={decision} formText={formOf(conversation.now, answerOf)} />
      )}
      {files && <MessageFiles files={files} />}
      {body}
    </Suspense>
  );
}
