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
import { sendKey } from '../shell/shortcuts.ts';
import { AgentText } from '../text/agent-text.tsx';
import { Button } from '../ui/button.tsx';
import { useIsNarrow } from '../ui/is-narrow.ts';
import { usePressGuard } from '../ui/press-guard.tsx';
import { isSendKey } from '../ui/send-key.ts';
import { useStore } from '../ui/store.ts';
import { ToolButton } from '../ui/tool-button.tsx';
import { CommentIcon, FormIcon, PreviewIcon, RepliesIcon } from '../ui/tool-icons.tsx';
import styles from './reply-area.module.css';
import { SavedReplies } from './saved-replies.tsx';
import { type FollowedConversation, sendWritten } from './use-conversation.ts';
import type { Drafts } from './use-drafts.ts';
import type { Presses } from './use-presses.ts';

interface TextReplyProps {
  readonly conversation: FollowedConversation;
  readonly drafts: Drafts;
  readonly presses: Presses;
  /** Whether the box takes the focus when it appears. */
  readonly isFocused: boolean;
  readonly attachments: ReactNode;
  /** The agent's form can be answered instead. */
  readonly onForm: (() => void) | undefined;
  readonly onSent: () => void;
  /** Opens the next request that waits. Undefined when there is none. */
  readonly onNext: (() => void) | undefined;
}

export function TextReply(props: TextReplyProps) {
  const { conversation, isFocused, attachments, onForm, onSent, onNext, drafts, presses } = props;
  const draft = drafts.text;
  const box = useRef<HTMLTextAreaElement>(null);
  const text = useStore(draft.text);
  const [isPreview, setIsPreview] = useState(false);
  const [isChoosing, setIsChoosing] = useState(false);
  const readersId = useId();
  const isNarrow = useIsNarrow();
  const guard = usePressGuard('');
  /** Whether the expert has typed since the box appeared. */
  const isChanged = useRef(false);
  const files = useStore(conversation.files);
  const isEmpty = text.trim() === '' && files.length === 0;

  useEffect(() => {
    if (isFocused) box.current?.focus();
  }, [isFocused]);
  useHeight(box, text, isPreview);
  const content = { text: text.trim() === '' ? '' : text, files };

  function send(name: string, onTaken: () => void): void {
    if (isEmpty) box.current?.focus();
    else
      presses.take(name, () => {
        sendWritten(conversation, content, draft);
        // At once, since a hidden text box cannot take the focus.
        flushSync(() => setIsPreview(false));
        onSent();
        onTaken();
      });
  }

  const sendAndStay = () => send('Send', () => box.current?.focus());
  const sendAndGoOn = () => (isEmpty ? onNext?.() : send('Send and next', () => onNext?.()));

  function insert(reply: string): void {
    setIsChoosing(false);
    flushSync(() => setIsPreview(false));
    const element = box.current;
    const before = text.trimEnd();
    element?.focus();
    element?.setSelectionRange(before.length, text.length);
    const added = before ? `\n\n${reply}` : reply;
    // As if it were typed, so that the browser can undo it.
    if (!document.execCommand('insertText', false, added)) draft.write(before + added);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (!isSendKey(event)) return;
    event.preventDefault();
    // Like its buttons: a key that is held down, or was pressed for the text before, does not send this one.
    if (event.repeat) return;
    if (guard.isGuarded && !isChanged.current) return guard.onPress();
    if (event.shiftKey && onNext) sendAndGoOn();
    else sendAndStay();
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys work in its text box and its buttons.
    <div className={styles.box} onKeyDown={onKeyDown}>
      {isPreview && (
        <section className={styles.preview} aria-label="Preview">
          {isEmpty ? (
            <p className={styles.quiet}>Nothing to preview yet.</p>
          ) : (
            <AgentText text={text} isFirst isOwn />
          )}
        </section>
      )}
      <textarea
        ref={box}
        className={styles.text}
        hidden={isPreview}
        data-reply=""
        rows={isNarrow ? 1 : 2}
        dir="auto"
        value={text}
        placeholder="Write an answer"
        aria-label="Answer"
        aria-describedby={readersId}
        onChange={({ target }) => {
          isChanged.current = true;
          draft.write(target.value);
        }}
        onBlur={() => void draft.save()}
      />
      {isChoosing && <SavedReplies text={text} onChoose={insert} onClose={() => setIsChoosing(false)} />}
      <p className={styles.notes}>
        <span id={readersId}>
          {conversation.now.request?.encrypted
            ? 'Only you and this agent can read your answer.'
            : 'The relay can read your answer: the agent asked without encryption.'}
        </span>
        <span className={styles.hint}>Markdown works. {sendKey} Enter sends.</span>
      </p>
      <div className={styles.buttons}>
        <div className={styles.tools}>
          {onForm && <ToolButton icon={FormIcon} name="Back to the form" word="Form" onClick={onForm} />}
          {attachments}
          <ToolButton
            icon={RepliesIcon}
            name="Saved replies"
            word="Replies"
            className={styles.later}
            aria-expanded={isChoosing}
            onClick={() => setIsChoosing(!isChoosing)}
          />
          <ToolButton
            icon={isPreview ? CommentIcon : PreviewIcon}
            name={isPreview ? 'Write' : 'Preview'}
            word={isPreview ? 'Write' : 'Preview'}
            className={styles.later}
            onClick={() => setIsPreview(!isPreview)}
          />
        </div>
        {onNext && (
          <Button
            isBusy={presses.waitingButton === 'Send and next'}
            aria-disabled={(!isEmpty && presses.isAway()) || undefined}
            onDisabledClick={sendAndGoOn}
            onClick={sendAndGoOn}
          >
            {isEmpty ? 'Next request' : 'Send and next'}
          </Button>
        )}
        <Button
          look="main"
          isBusy={presses.waitingButton === 'Send'}
          aria-disabled={isEmpty || presses.isAway() || undefined}
          onDisabledClick={sendAndStay}
          onClick={sendAndStay}
        >
          Send
        </Button>
      </div>
    </div>
  );
}

/** Of a longer text, Chromium would lay out all again with each key, to find its direction and its height. */
const longLength = 20_000;
const longHeight = '10000px';

/** Makes the box as high as its text. */
function useHeight(box: RefObject<HTMLTextAreaElement | null>, text: string, isHidden: boolean): void {
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || isHidden) return;
    const resize = () => {
      const isLong = text.length > longLength;
      // A long text keeps its direction, and fills the box.
      if (isLong === (element.dir === 'auto'))
        element.dir = !isLong ? 'auto' : element.matches(':dir(rtl)') ? 'rtl' : 'ltr';
      element.style.height = isLong ? longHeight : 'auto';
      if (!isLong) element.style.height = `${element.scrollHeight + 2}px`;
    };
    resize();
    // A rotated phone changes the width, and so the height.
    addEventListener('resize', resize);
    return () => removeEventListener('resize', resize);
  }, [box, text, isHidden]);
}
