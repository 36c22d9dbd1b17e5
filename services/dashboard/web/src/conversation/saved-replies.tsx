import { useEffect, useState } from 'react';
import { useExpertKey } from '../session/app-context.tsx';
import { firstWords } from '../text/first-words.ts';
import { Button } from '../ui/button.tsx';
import { Panel } from '../ui/panel.tsx';
import { useAction } from '../ui/use-action.ts';
import { changeReplies, maxReplies, readReplies } from '../vault/saved-replies.ts';
import styles from './saved-replies.module.css';

interface SavedRepliesProps {
  /** What is in the text box: it can be saved. */
  readonly text: string;
  readonly onChoose: (reply: string) => void;
  readonly onClose: () => void;
}

/** Texts that the expert uses often, the same on all devices. */
export function SavedReplies(props: SavedRepliesProps) {
  const key = useExpertKey();
  if (key.kind === 'ready') return <Replies {...props} root={key.root} />;
  return (
    <Panel title="Saved replies">
      <p>
        They are encrypted with your key. {key.kind === 'missing' ? 'Make it' : 'Open it'} in Settings first.
      </p>
      <div className={styles.actions}>
        <Button look="quiet" onClick={props.onClose}>
          Hide
        </Button>
      </div>
    </Panel>
  );
}

function Replies({ root, text, onChoose, onClose }: SavedRepliesProps & { readonly root: Uint8Array }) {
  const [replies, setReplies] = useState<readonly string[]>();
  const reading = useAction(async () => setReplies(await readReplies(root)));
  const changing = useAction(async (edit: (before: readonly string[]) => readonly string[]) =>
    setReplies(await changeReplies(root, edit)),
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: they are read once, when the panel is opened.
  useEffect(() => void reading.run(), []);
  if (!replies && reading.error === undefined) return null;
  if (!replies) {
    return (
      <Panel title="Saved replies">
        <p role="alert">Your saved replies could not be read.</p>
        <div className={styles.actions}>
          <Button onClick={() => void reading.run()}>Try again</Button>
          <Button look="quiet" onClick={onClose}>
            Hide
          </Button>
        </div>
      </Panel>
    );
  }

  const isNew = text.trim() !== '' && !replies.includes(text);
  const isFull = replies.length >= maxReplies;
  return (
    <Panel title="Saved replies">
      {replies.length === 0 && <p>There are none yet. Write a text first, then save it here.</p>}
      <ul className={styles.replies}>
        {replies.map((reply) => {
          const words = firstWords(reply, 80);
          return (
            // The button that moves to the place of a removed one is guarded, since its label changes.
            <li key={replies.indexOf(reply)} className={styles.reply}>
              <Button className={styles.text} onClick={() => onChoose(reply)}>
                <span className={styles.words}>{words}</span>
              </Button>
              <Button
                look="quiet"
                aria-label={`Remove: ${words}`}
                onClick={() => void changing.run((before) => before.filter((one) => one !== reply))}
              >
                Remove
              </Button>
            </li>
          );
        })}
      </ul>
      {isNew && isFull && (
        <p>These are {maxReplies}, the most that are kept. Remove one to save this text.</p>
      )}
      {changing.error !== undefined && <p role="alert">That could not be saved. Try again.</p>}
      <div className={styles.actions}>
        {isNew && !isFull && (
          <Button
            isBusy={changing.isBusy}
            onClick={() => void changing.run((before) => [text, ...before.filter((one) => one !== text)])}
          >
            Save this text
          </Button>
        )}
        <Button look="quiet" onClick={onClose}>
          Hide
        </Button>
      </div>
    </Panel>
  );
}
