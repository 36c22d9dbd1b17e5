import type { DecisionState } from '@expert-relay/sdk/expert';
import { type Form, type FormAnswer, isApproval } from '@expert-relay/sdk/forms';
import { type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { CommentBox } from '../forms/comment-box.tsx';
import styles from '../forms/fields.module.css';
import { FormField } from '../forms/form-field.tsx';
import { isChoice } from '../forms/is-choice.ts';
import { useFormDraft } from '../forms/use-form-draft.ts';
import { useProblems } from '../forms/use-problems.ts';
import { contentOf, problemsOf } from '../forms/values.ts';
import type { Draft } from '../storage/drafts.ts';
import { TextEnd } from '../text/text-end.tsx';
import { Button } from '../ui/button.tsx';
import { ToolButton } from '../ui/tool-button.tsx';
import { CommentIcon, MessageIcon, TogetherIcon } from '../ui/tool-icons.tsx';
import { AskedQuestion } from './asked-question.tsx';
import { askedWith, formEnd } from './open-form.ts';
import { type FollowedConversation, sendWritten } from './use-conversation.ts';
import type { Presses } from './use-presses.ts';

export interface FormReplyProps {
  readonly requestId: string;
  readonly conversation: FollowedConversation;
  /** Undefined when this version cannot show it. */
  readonly form: Form | undefined;
  readonly of: string;
  readonly draft: Draft;
  readonly presses: Presses;
  /** Whether it takes the focus when it appears. */
  readonly isFocused: boolean;
  /** Stands at the end of the conversation: the fields are there, and the buttons are below. */
  readonly slot: HTMLElement | null;
  readonly attachments: ReactNode;
  readonly onSent: () => void;
  /** How many requests may be equal to this one. */
  readonly similar: number;
  /** The expert wants to answer them together. */
  readonly onTogether: () => void;
  readonly isTextBegun: boolean;
  /** The expert wants to write a message instead. */
  readonly onWrite: () => void;
}

/** The agent's form, and the two buttons that decide about it. */
export function FormReply(props: FormReplyProps) {
  const { conversation, form, of, isFocused, slot, presses, onSent } = props;
  const draft = useFormDraft(props.draft, of, form);
  const [isCommenting, setIsCommenting] = useState(false);
  const section = useRef<HTMLElement>(null);
  const questionId = useId();
  const end = formEnd(of);
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

  function decide(name: string, action: FormAnswer['action']): void {
    if (!now || (action === 'accept' && (!form || !problems.check(section.current)))) return;
    const { comment } = now;
    const decision = decisionOf(action, form && contentOf(form, now.values));
    const content = { text: comment, answer: { ...decision, of, comment }, files: conversation.files.get() };
    presses.take(
      name,
      () => {
        sendWritten(conversation, content, draft);
        onSent();
      },
      end,
    );
  }

  const isDecided = form !== undefined && isApproval(form);
  const isAsked = form !== undefined && isChoice(form);
  const accept = isAsked ? 'Send' : 'Approve';
  const question = <AskedQuestion id={questionId} question={askedWith(conversation.now, of)} />;
  const fields = (
    <section
      ref={section}
      className={isDecided ? `${styles.form} ${styles.approval}` : styles.form}
      aria-labelledby={questionId}
      tabIndex={-1}
      data-form=""
    >
      {form && !isDecided && !isAsked && <h2 className={styles.heading}>{question}</h2>}
      {again && <p role="alert">{again}</p>}
      {!form && (
        <p>The agent sent a form that this page cannot show. You can decline it, or write a message.</p>
      )}
      {form &&
        Object.entries(form.properties).map(([name, field]) => (
          <FormField
            key={name}
            name={name}
            field={field}
            legend={isAsked ? question : undefined}
            value={now.values[name] ?? ''}
            isRequired={form.required?.includes(name) === true}
            problem={problems.shown.get(name)}
            onChange={(value) => {
              problems.onChange(name);
              draft.change({ values: { ...now.values, [name]: value } });
            }}
          />
        ))}
      <div className={styles.end}>
        <TextEnd name={end} />
      </div>
    </section>
  );

  const isAway = presses.isAway(end) || undefined;
  return (
    <section className={styles.reply} aria-label="Your decision">
      {slot && createPortal(fields, slot)}
      <div className={styles.others}>
        <p role="status" className={problems.hint ? styles.problems : 'visually-hidden'}>
          {problems.hint}
        </p>
        <ToolButton
          icon={MessageIcon}
          name={props.isTextBegun ? 'Continue your message' : 'Write a message'}
          word="Message"
          onClick={props.onWrite}
        />
        {!isCommenting && now.comment === '' && (
          // No shortcut decides: this is where `r` leads.
          <ToolButton
            icon={CommentIcon}
            name="Comment"
            word="Comment"
            data-reply=""
            onClick={() => setIsCommenting(true)}
          />
        )}
        {props.attachments}
        {isDecided && props.similar > 0 && (
          <ToolButton
            icon={TogetherIcon}
            name={`${props.similar} similar ${props.similar === 1 ? 'request: answer both' : 'requests: answer all'} together`}
            word={`${props.similar} similar`}
            onClick={props.onTogether}
          />
        )}
      </div>
      {(isCommenting || now.comment !== '') && (
        <CommentBox
          value={now.comment}
          isFocused={isCommenting}
          onChange={(comment) => draft.change({ comment })}
          onSendKey={() => presses.say('A comment goes with the decision: Tab leads to its buttons.')}
        />
      )}
      <div className={styles.decide}>
        {(isDecided || !form) && question}
        {form && state !== 'conflict' && (
          <Button
            look="main"
            isBusy={presses.waitingButton === accept}
            says={presses.saysOn(accept)}
            aria-disabled={isAway || problems.hasAny || undefined}
            onDisabledClick={() => decide(accept, 'accept')}
            onClick={() => decide(accept, 'accept')}
          >
            {accept}
          </Button>
        )}
        <Button
          isBusy={presses.waitingButton === 'Decline'}
          says={presses.saysOn('Decline')}
          aria-disabled={isAway}
          onDisabledClick={() => decide('Decline', 'decline')}
          onClick={() => decide('Decline', 'decline')}
        >
          Decline
        </Button>
      </div>
    </section>
  );
}

/** Why a decision that was made is to be made again. */
const againSentences: Partial<Record<DecisionState, string>> = {
  reopened: 'The agent wrote meanwhile: decide again.',
  conflict: 'It was approved with different contents, on several devices. You can still decline it.',
};

export const decisionOf = (action: FormAnswer['action'], content = {}) =>
  action === 'accept' ? { action, content } : { action };
