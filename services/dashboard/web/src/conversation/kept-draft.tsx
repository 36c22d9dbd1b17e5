import { Suspense, useId, useLayoutEffect, useRef, useState } from 'react';
import { describeFormDraft, readFormDraft } from '../forms/form-draft.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { lazyPage } from '../ui/lazy-page.tsx';
import { useStore } from '../ui/store.ts';
import type { ConversationState } from './conversation-state.ts';
import { formOf } from './open-form.ts';
import { PendingAnswerPanel } from './pending-answer.tsx';
import styles from './reply-area.module.css';
import type { FollowedConversation } from './use-conversation.ts';
import { type Drafts, useDrafts } from './use-drafts.ts';

const MessageFiles = lazyPage(async () => (await import('../forms/message-files.tsx')).MessageFiles);

interface KeptDraftProps {
  readonly conversation: FollowedConversation;
  readonly drafts: Drafts;
  /** Says why it cannot be sent now. */
  readonly title: string;
  /** The text and the files are in the text box, or the form that has this name is shown. */
  readonly shown?: { readonly box?: boolean; readonly files?: boolean; readonly form?: string | undefined };
}

/** All that the expert has written and cannot send now: the answer that was not sent, and the drafts. */
export function AllKept(props: Omit<KeptDraftProps, 'shown'>) {
  return (
    <>
      <PendingAnswerPanel conversation={props.conversation} />
      <KeptDraft {...props} />
    </>
  );
}

interface WrittenForProps {
  readonly requestId: string;
  readonly conversation: FollowedConversation;
}

/** What the expert has written for a request that cannot be read. */
export function WrittenFor({ requestId, conversation }: WrittenForProps) {
  const drafts = useDrafts(requestId);
  return (
    drafts && <AllKept conversation={conversation} drafts={drafts} title="What you wrote was not sent." />
  );
}

/** A draft that cannot be sent now. It can be read and copied until it is sent or removed. */
export function KeptDraft({ conversation, drafts, title, shown = {} }: KeptDraftProps) {
  const box = useRef<HTMLTextAreaElement>(null);
  const titleId = useId();
  const draft = useStore(drafts.text.text);
  const form = useStore(drafts.form.text);
  const attached = useStore(conversation.files);
  const files = shown.files ? [] : attached;
  const text = [...(shown.box ? [] : [unsent(draft, conversation.now)]), ...formTexts()]
    .filter(Boolean)
    .join('\n\n');

  function formTexts(): string[] {
    const filledIn = readFormDraft(form);
    if (!filledIn) return [];
    const { pending, sent } = conversation.now;
    const isOnItsWay = [...sent, pending].some((one) => one?.answer?.of === filledIn.of);
    const isShown = filledIn.of === shown.form || isOnItsWay;
    const all = [...(filledIn.earlier ?? []), ...(isShown ? [] : [filledIn])];
    return all.map((one) => describeFormDraft(one, formOf(conversation.now, one.of)));
  }

  // While it renders for the first time, the control that it replaces still has the focus.
  const [wasTyping] = useState(() => document.activeElement?.closest('[data-reply], [data-form]') != null);
  useLayoutEffect(() => {
    // Keys that are pressed now are not meant as shortcuts.
    if (wasTyping && document.activeElement === document.body) box.current?.focus({ preventScroll: true });
  }, [wasTyping]);

  if (text === '' && files.length === 0) return null;

  function remove(): void {
    if (!shown.box) drafts.text.write('');
    const kept = readFormDraft(form);
    drafts.form.write(kept && kept.of === shown.form ? JSON.stringify({ ...kept, earlier: undefined }) : '');
    if (!shown.files) conversation.files.set([]);
  }

  return (
    <section className={styles.kept} aria-labelledby={titleId}>
      <p id={titleId} role="status" className={styles.heldTitle}>
        {title}
      </p>
      {text && (
        <textarea
          ref={box}
          className={styles.text}
          readOnly
          dir="auto"
          rows={Math.min(8, text.split('\n').length + 1)}
          value={text}
          aria-labelledby={titleId}
        />
      )}
      {files.length > 0 && (
        <Suspense>
          <MessageFiles files={files} />
        </Suspense>
      )}
      <div className={styles.buttons}>
        <Button look="quiet" onClick={remove}>
          Remove
        </Button>
        {text && <CopyButton text={text} look="plain" label="Copy text" />}
      </div>
    </section>
  );
}

/** A text that was handed over is not shown twice. */
const unsent = (text: string, { pending }: ConversationState): string =>
  text.trim() === '' || pending?.text === text ? '' : text;
