import { useEffect, useState } from 'react';
import { useAppContext } from '../session/app-context.tsx';
import { firstWords } from '../text/first-words.ts';
import { Button } from '../ui/button.tsx';
import { Panel } from '../ui/panel.tsx';
import styles from './saved-replies.module.css';

const name = 'saved-replies';
const maxReplies = 50;

interface SavedRepliesProps {
  /** What is in the text box: it can be saved. */
  readonly text: string;
  readonly onChoose: (reply: string) => void;
  readonly onClose: () => void;
}

const parse = (json = '[]'): readonly string[] => JSON.parse(json);

/** Texts that the expert uses often. They stay in this browser, encrypted as drafts are, until the sign-out. */
export function SavedReplies({ text, onChoose, onClose }: SavedRepliesProps) {
  const { storage } = useAppContext();
  const [replies, setReplies] = useState<readonly string[]>();
  useEffect(() => {
    void storage.get(name).then(
      (json) => setReplies(parse(json)),
      () => setReplies([]),
    );
  }, [storage]);
  if (!replies) return null;

  /** Changes what is stored now: another tab may have changed it since it was shown. */
  async function change(edit: (before: readonly string[]) => readonly string[]): Promise<void> {
    const edited = storage.change(name, (json) => JSON.stringify(edit(parse(json))));
    setReplies(await edited.then(parse, () => edit(replies ?? [])));
  }

  const isNew = text.trim() !== '' && !replies.includes(text);
  const isFull = replies.length >= maxReplies;
  return (
    <Panel title="Saved replies">
      {replies.length === 0 && <p>There are none in this browser. Write a text first, then save it here.</p>}
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
                onClick={() => change((before) => before.filter((one) => one !== reply))}
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
      <div className={styles.actions}>
        {isNew && !isFull && (
          <Button onClick={() => change((before) => [text, ...before.filter((one) => one !== text)])}>
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
