import { Suspense, useState } from 'react';
import { lazyPage } from '../ui/lazy-page.tsx';
import { formToDecide } from './open-form.ts';
import styles from './reply-area.module.css';
import { TextReply } from './text-reply.tsx';
import type { useConversation } from './use-conversation.ts';

const FormReply = lazyPage(async () => (await import('./form-reply.tsx')).FormReply);
const Attachments = lazyPage(async () => (await import('../files/attachments.tsx')).Attachments);

export interface ReplyProps {
  readonly requestId: string;
  readonly conversation: ReturnType<typeof useConversation>;
  /** Whether it takes the focus when it appears. */
  readonly isFocused: boolean;
  /** Where the fields of a form stand, at the end of the conversation. */
  readonly slot: HTMLElement | null;
  readonly onSent: () => void;
}

/** The agent's form, or a text box. */
export function Reply(props: ReplyProps) {
  const { conversation } = props;
  const { request, answers } = conversation.now;
  const [isWriting, setIsWriting] = useState(false);
  const form = formToDecide(conversation.now);
  const isHeld = answers.some(({ delivery }) => delivery === 'held');
  const readers = request?.encrypted
    ? 'Only you and this agent can read your answer.'
    : 'The relay can read this conversation: the agent asked without encryption.';
  // Only encrypted messages carry files.
  const attachments = request?.encrypted && (
    <Suspense>
      <Attachments files={conversation.files} />
    </Suspense>
  );
  if (!form || isWriting || isHeld) {
    const onForm = form && (() => setIsWriting(false));
    return <TextReply {...props} {...{ readers, attachments, onForm }} />;
  }
  return (
    <Suspense fallback={<p className={styles.quiet}>Loading the form…</p>}>
      <FormReply
        key={form.of}
        {...props}
        {...form}
        {...{ readers, attachments }}
        onWrite={() => setIsWriting(true)}
      />
    </Suspense>
  );
}
