import type { DecisionState } from '@expert-relay/sdk/expert';
import { type Form, type FormAnswer, isApproval } from '@expert-relay/sdk/forms';
import { type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import type { Draft } from '../drafts/drafts.ts';
import { CommentBox } from '../forms/comment-box.tsx';
import styles from '../forms/fields.module.css';
import { FormField } from '../forms/form-field.tsx';
import { useFormDraft } from '../forms/use-form-draft.ts';
import { useProblems } from '../forms/use-problems.ts';
import { contentOf, problemsOf } from '../forms/values.ts';
import { ShownContext, TextEnd } from '../text/text-end.tsx';
import { Button } from '../ui/button.tsx';
import { formEnd } from './open-form.ts';
import { ReadFirst } from './read-first.tsx';
import { sendWritten, type useConversation } from './use-conversation.ts';
import { useReadFirst } from './use-read-first.ts';

export interface FormReplyProps {
  readonly conversation: ReturnType<typeof useConversation>;
  /** Undefined when this version cannot show it. */
  readonly form: Form | undefined;
  readonly of: string;
  readonly draft: Draft;
  /** Who can read the answer. */
  readonly readers: string;
  /** Whether it takes the focus when it appears. */
  readonly isFocused: boolean;
  /** Stands at the end of the conversation: the fields are there, and the buttons are below. */
  readonly slot: HTMLElement | null;
  readonly attachments: ReactNode;
  readonly onSent: () => void;
  readonly isTextBegun: boolean;
  /** The expert wants to write a message instead. */
  readonly onWrite: () => void;
}

/** The agent's form, and the two buttons that decide about it. */
export function FormReply(props: FormReplyProps) {
  const { conversation, form, of, readers, isFocused, slot, onSent } = props;
  const draft = useFormDraft(props.draft, of, form);
  const [isCommenting, setIsCommenting] = useState(false);
  const section = useRef<HTMLElement>(null);
  const titleId = useId();
  const readFirst = useReadFirst(conversation, formEnd(of));
  const { now } = draft;
  const problems = useProblems(
    useMemo(() => (form && now ? problemsOf(form, now.values) : new Map()), [form, now]),
  );

  const state = conversation.now.request?.decision;
  const again = state && againSentences[state];
  const isReady = now !== undefined && slot !== null;
  useEffect(() => {
    if (isFocused && isReady) section.current?.focus({ preventScroll: true });
  }, [isFocused, isReady]);

  if (!now) return null;

  function decide(action: FormAnswer['action']): void {
    if (!now || !readFirst.check()) return;
    if (action === 'accept' && (!form || !problems.check(section.current))) return;
    const decision = decisionOf(action, form && contentOf(form, now.values));
    const { comment } = now;
    const content = { text: comment, answer: { ...decision, of, comment }, files: conversation.files.get() };
    sendWritten(conversation, content, draft);
    onSent();
  }

  const fields = (
    <ShownContext value={conversation.markShown}>
      <section
        ref={section}
        className={form && isApproval(form) ? `${styles.form} ${styles.approval}` : styles.form}
        aria-labelledby={titleId}
        tabIndex={-1}
        data-form=""
      >
        <div>
          <h2 id={titleId} className={styles.heading}>
            {titleOf(form)}
          </h2>
          {again && <p role="alert">{again}</p>}
          {!form && <p>You can decline it, or write a message.</p>}
        </div>
        {form &&
          Object.entries(form.properties).map(([name, field]) => (
            <FormField
              key={name}
              {...{ name, field }}
              value={now.values[name] ?? ''}
              isRequired={form.required?.includes(name) === true}
              problem={problems.shown.get(name)}
              onChange={(value) => {
                problems.onChange(name);
                draft.change({ values: { ...now.values, [name]: value } });
              }}
              onLeave={() => problems.onLeave(name)}
            />
          ))}
        <div className={styles.end}>
          <TextEnd name={formEnd(of)} />
        </div>
      </section>
    </ShownContext>
  );

  const isBlocked = readFirst.isUnread || undefined;
  return (
    <section className={styles.reply} aria-label="Your decision">
      {slot && createPortal(fields, slot)}
      {(isCommenting || now.comment !== '') && (
        <CommentBox
          value={now.comment}
          isFocused={isCommenting}
          onChange={(comment) => draft.change({ comment })}
        />
      )}
      <p className={styles.quiet}>{readers}</p>
      <ReadFirst hint={readFirst.hint || problems.hint} />
      <div className={styles.buttons}>
        <div className={styles.others}>
          <Button look="quiet" onClick={props.onWrite}>
            {props.isTextBegun ? 'Continue your message' : 'Write a message'}
          </Button>
          {!isCommenting && now.comment === '' && (
            // No shortcut decides: this is where `r` leads.
            <Button look="quiet" data-reply="" onClick={() => setIsCommenting(true)}>
              Comment
            </Button>
          )}
          {props.attachments}
        </div>
        <div className={styles.decide}>
          {form && state !== 'conflict' && (
            <Button
              look="main"
              aria-disabled={isBlocked || problems.hasAny || undefined}
              onRefusedClick={() => decide('accept')}
              onClick={() => decide('accept')}
            >
              Approve
            </Button>
          )}
          <Button
            aria-disabled={isBlocked}
            onRefusedClick={readFirst.check}
            onClick={() => decide('decline')}
          >
            Decline
          </Button>
        </div>
      </div>
    </section>
  );
}

/** Why a decision that was made is to be made again. */
const againSentences: Partial<Record<DecisionState, string>> = {
  reopened: 'The agent wrote meanwhile: decide again.',
  conflict: 'It was approved with different contents, on several devices. You can still decline it.',
};

function titleOf(form: Form | undefined): string {
  if (!form) return 'The agent sent a form that this page cannot show.';
  return isApproval(form) ? 'The agent asks for your approval.' : 'The agent asks you to fill this in.';
}

function decisionOf(action: FormAnswer['action'], content = {}): FormAnswer {
  const decidedAt = new Date().toISOString();
  return action === 'accept' ? { action, content, decidedAt } : { action, decidedAt };
}
