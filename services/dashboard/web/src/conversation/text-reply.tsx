import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { createDraft, type Draft } from '../drafts/drafts.ts';
import { useServices } from '../services/services.tsx';
import { Button } from '../ui/button.tsx';
import { useStore } from '../ui/store.ts';
import { HeldAnswer } from './held-answer.tsx';
import { ReadFirst } from './read-first.tsx';
import styles from './reply-area.module.css';
import { RichText } from './rich-text.tsx';
import type { useConversation } from './use-conversation.ts';
import { useReadFirst } from './use-read-first.ts';

interface TextReplyProps {
  readonly requestId: string;
  readonly conversation: ReturnType<typeof useConversation>;
  /** Who can read the answer. */
  readonly readers: string;
  /** Whether the box takes the focus when it appears. */
  readonly isFocused: boolean;
  readonly attachments: ReactNode;
  /** The agent's form can be answered instead. */
  readonly onForm: (() => void) | undefined;
  readonly onSent: () => void;
}

const isApple = /Mac|iP(hone|ad|od)/.test(navigator.platform);

/** The text box with its draft. */
export function TextReply(props: TextReplyProps) {
  const box = useRef<HTMLTextAreaElement>(null);
  const draft = useDraft(props.requestId, box);
  const held = props.conversation.now.answers.find(({ delivery }) => delivery === 'held');
  if (!draft) return null;
  if (held) return <HeldAnswer {...props} answer={held} draft={draft} />;
  return <Box {...props} draft={draft} box={box} />;
}

/** The draft of a request, for the lifetime of the component. */
function useDraft(requestId: string, box: RefObject<HTMLElement | null>): Draft | undefined {
  const { storage, live } = useServices();
  const [draft, setDraft] = useState<Draft>();
  useEffect(() => {
    const isTyping = () => document.hasFocus() && document.activeElement === box.current;
    const opened = createDraft({ requestId, storage, tabs: live.tabs, isTyping });
    setDraft(opened);
    return () => opened.stop();
  }, [requestId, storage, live, box]);
  return draft;
}

function Box({
  conversation,
  readers,
  isFocused,
  attachments,
  onForm,
  onSent,
  draft,
  box,
}: TextReplyProps & { draft: Draft; box: RefObject<HTMLTextAreaElement | null> }) {
  const text = useStore(draft.text);
  const isRestored = useStore(draft.isRestored);
  const [isPreview, setIsPreview] = useState(false);
  const readersId = useId();
  const files = useStore(conversation.files);
  const isEmpty = text.trim() === '' && files.length === 0;

  useEffect(() => {
    if (isFocused) box.current?.focus();
  }, [isFocused, box]);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element || isPreview) return;
    const resize = () => {
      element.style.height = 'auto';
      // Measuring a very long text is slow, and not needed: it fills the box.
      const height = text.length > 20_000 ? 10_000 : element.scrollHeight + 2;
      element.style.height = `${height}px`;
    };
    resize();
    // A rotated phone changes the width, and so the height.
    addEventListener('resize', resize);
    return () => removeEventListener('resize', resize);
  }, [text, isPreview, box]);

  const { answers } = conversation.now;
  const readFirst = useReadFirst(conversation);
  const isUnsent = isRestored && text !== '' && answers.some((answer) => answer.text === text);
  const wasChecked = useRef(false);
  useEffect(() => {
    if (!isRestored || wasChecked.current) return;
    wasChecked.current = true;
    // The page was closed while this text was handed over: the stored draft is out of date.
    if (isUnsent) draft.write('');
  }, [isRestored, isUnsent, draft]);

  function send() {
    if (isEmpty) {
      box.current?.focus();
      return;
    }
    if (!readFirst.check()) return;
    // The draft is deleted once the answer is stored. After a reload there must not be both.
    const content = { text: text.trim() === '' ? '' : text, files };
    draft.handOver(new Promise<void>((resolve) => void conversation.send(content, resolve).finally(resolve)));
    conversation.files.set([]);
    // At once, since a hidden text box cannot take the focus.
    flushSync(() => setIsPreview(false));
    onSent();
    box.current?.focus();
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys work in its text box and its buttons.
    <div className={styles.box} onKeyDown={onKeyDown}>
      {isPreview && (
        <section className={styles.preview} aria-label="Preview">
          {isEmpty ? (
            <p className={styles.quiet}>Nothing to preview yet.</p>
          ) : (
            <RichText text={text} isFirst />
          )}
        </section>
      )}
      <textarea
        ref={box}
        className={styles.text}
        hidden={isPreview}
        data-reply=""
        rows={2}
        dir="auto"
        value={text}
        placeholder="Write an answer"
        aria-label="Answer"
        aria-describedby={readersId}
        onChange={({ target }) => draft.write(target.value)}
        onBlur={() => void draft.save()}
      />
      <p id={readersId} className={styles.quiet}>
        {readers}
      </p>
      <ReadFirst hint={readFirst.hint} />
      <div className={styles.buttons}>
        {attachments}
        <span className={styles.hint}>Markdown works. {isApple ? '⌘' : 'Ctrl'} Enter sends.</span>
        {onForm && (
          <Button look="quiet" onClick={onForm}>
            Back to the form
          </Button>
        )}
        <Button look="quiet" onClick={() => setIsPreview(!isPreview)}>
          {isPreview ? 'Continue writing' : 'Preview'}
        </Button>
        <Button
          look="main"
          aria-disabled={isEmpty || readFirst.isUnread || undefined}
          onRefusedClick={send}
          onClick={send}
        >
          Send
        </Button>
      </div>
    </div>
  );
}
