import { Suspense, useEffect, useState } from 'react';
import { lazyPage } from '../ui/lazy-page.tsx';
import { useStore } from '../ui/store.ts';
import type { FailureCode } from './failure-codes.ts';
import { failureSentence } from './failure-sentences.ts';
import { focusHeader } from './focus-header.ts';
import { KeptDraft } from './kept-draft.tsx';
import { formToDecide } from './open-form.ts';
import { PendingAnswerPanel, useUnsentAnswer } from './pending-answer.tsx';
import styles from './reply-area.module.css';
import { TextReply } from './text-reply.tsx';
import type { FollowedConversation } from './use-conversation.ts';
import type { Drafts } from './use-drafts.ts';
import type { Presses } from './use-presses.ts';

// What was decided is shown at once, also offline.
const FormReply = lazyPage(async () => {
  const [{ FormReply }] = await Promise.all([
    import('./form-reply.tsx'),
    import('../forms/decision.tsx'),
    import('./undo-decision.tsx'),
  ]);
  return FormReply;
});
const UndoDecision = lazyPage(async () => (await import('./undo-decision.tsx')).UndoDecision);
const Attachments = lazyPage(async () => (await import('../forms/attachments.tsx')).Attachments);

export interface ReplyProps {
  readonly requestId: string;
  readonly conversation: FollowedConversation;
  readonly drafts: Drafts;
  readonly presses: Presses;
  /** Whether it takes the focus when it appears. */
  readonly isFocused: boolean;
  /** Where the fields of a form stand, at the end of the conversation. */
  readonly slot: HTMLElement | null;
  readonly onSent: () => void;
  /** How many requests may be equal to this one. */
  readonly similar: number;
  readonly onTogether: () => void;
  /** Whether this decision can be taken back together with others. */
  readonly isTogether: boolean;
  /** Opens the next request that waits. Undefined when there is none. */
  readonly onNext: (() => void) | undefined;
}

/** The agent's form, a text box, or the answer that was not sent. */
export function Reply(props: ReplyProps) {
  const { conversation, drafts } = props;
  const { request, notTaken, pending } = conversation.now;
  const [chosen, setChosen] = useState<'form' | 'text'>();
  const [isFocused, setIsFocused] = useState(props.isFocused);
  const form = formToDecide(conversation.now);
  const unsent = useUnsentAnswer(conversation.now);
  const isTextBegun = useStore(drafts.text.text) !== '';
  useEffect(() => {
    // A form that arrives does not take the place of a text that is being written.
    if (form && isTextBegun) setChosen((before) => before ?? 'text');
  }, [form, isTextBegun]);
  // Only encrypted messages carry files.
  const attachments = request?.encrypted && (
    <Suspense>
      <Attachments files={conversation.files} />
    </Suspense>
  );
  const choose = (what: 'form' | 'text') => {
    setIsFocused(true);
    setChosen(what);
  };
  const isText = !form || (chosen ?? (isTextBegun ? 'text' : 'form')) === 'text';
  return (
    <>
      {!unsent && notTaken && <NotTaken code={notTaken} />}
      {pending?.canUndo ? (
        !props.isTogether && (
          <Suspense>
            <UndoDecision
              key={pending.messageId}
              answer={pending}
              conversation={conversation}
              drafts={drafts}
              onTakenBack={(why) => {
                props.presses.say(why);
                choose('form');
              }}
            />
          </Suspense>
        )
      ) : unsent ? (
        <PendingAnswerPanel
          conversation={conversation}
          reply={{ drafts, presses: props.presses, onChange: choose }}
        />
      ) : isText ? (
        <TextReply
          {...props}
          attachments={attachments}
          isFocused={isFocused}
          onForm={form && (() => choose('form'))}
        />
      ) : (
        <Suspense fallback={<p className={styles.quiet}>Loading the form…</p>}>
          <FormReply
            key={form.of}
            {...props}
            {...form}
            attachments={attachments}
            isFocused={isFocused}
            isTextBegun={isTextBegun}
            draft={drafts.form}
            onSent={() => {
              // Nothing more need be written.
              setIsFocused(false);
              focusHeader();
              props.onSent();
            }}
            onWrite={() => choose('text')}
          />
        </Suspense>
      )}
      <KeptDraft
        conversation={conversation}
        drafts={drafts}
        title={
          unsent ? 'You have also written this.' : 'You filled this in for a form that is no longer open.'
        }
        shown={{ box: !unsent, files: !unsent, form: form?.of }}
      />
    </>
  );
}

/** Why what was written is back. */
function NotTaken({ code }: { code: FailureCode }) {
  const { what, next } = failureSentence(code);
  return (
    <p role="alert" className={styles.failure}>
      Not sent. {what} {next}
    </p>
  );
}
