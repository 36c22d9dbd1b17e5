import { useEffect, useState } from 'react';
import { useServices } from '../services/services.tsx';
import { Button } from '../ui/button.tsx';
import { firstWords } from '../ui/first-words.ts';
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

/** Texts that the expert uses often. They stay in this browser, encrypted as drafts are, until the sign-out. */
export function SavedReplies({ text, onChoose, onClose }: SavedRepliesProps) {
  const { storage } = useServices();
  const [replies, setReplies] = useState<readonly string[]>();
  useEffect(() => {
    void storage
      .get(name)
      .then((kept) => setReplies(kept === undefined ? [] : JSON.parse(kept)))
      .catch(() => setReplies([]));
  }, [storage]);
  if (!replies) return null;

  function change(next: readonly string[]): void {
    setReplies(next);
    void storage.set(name, JSON.stringify(next)).catch(() => {});
  }

  const canSave = text.trim() !== '' && !replies.includes(text);
  return (
    <Panel title="Saved replies">
      {replies.length === 0 && <p>There are none in this browser. Write a text first, then save it here.</p>}
      <ul className={styles.replies}>
        {replies.map((reply) => {
          const words = firstWords(reply, 80);
          return (
            <li key={reply} className={styles.reply}>
              <Button className={styles.text} onClick={() => onChoose(reply)}>
                <span className={styles.words}>{words}</span>
              </Button>
              <Button
                look="quiet"
                aria-label={`Remove: ${words}`}
                onClick={() => change(replies.filter((one) => one !== reply))}
              >
                Remove
              </Button>
            </li>
          );
        })}
      </ul>
      <div className={styles.actions}>
        {canSave && (
          <Button onClick={() => change([text, ...replies].slice(0, maxReplies))}>Save this text</Button>
        )}
        <Button look="quiet" onClick={onClose}>
          Hide
        </Button>
      </div>
    </Panel>
  );
}
