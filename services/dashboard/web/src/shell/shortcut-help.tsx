import { useEffect, useRef } from 'react';
import { Button } from '../ui/button.tsx';
import styles from './shortcut-help.module.css';
import { sendKey } from './shortcuts.ts';

const shortcuts: readonly (readonly [string, string])[] = [
  ['j', 'Next request'],
  ['k', 'Previous request'],
  ['n', 'Next request that waits for you'],
  ['↑ ↓', 'Move in the list'],
  ['Enter', 'Open the request'],
  ['r', 'Write an answer'],
  [`${sendKey} Enter`, 'Send the message: only its button makes a decision'],
  [`${sendKey} Shift Enter`, 'Send the message, and open the next request'],
  ['Esc', 'Leave the text box, or end the selection'],
  ['x', 'Select the request, or take it out of the selection'],
  ['Shift ↑ ↓', 'Select on to the next or the previous request'],
  ['d', 'Nothing to answer: move it to Answered'],
  ['e', 'End the request'],
  ['/', 'Search'],
  ['g i', 'Go to the inbox'],
  ['g k', 'Go to the agent keys'],
  ['g s', 'Go to the settings'],
  ['?', 'Show this list'],
];

export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className={styles.dialog} aria-labelledby="shortcut-help" onClose={onClose}>
      <h2 id="shortcut-help">Keyboard shortcuts</h2>
      <dl className={styles.list}>
        {shortcuts.map(([keys, meaning]) => (
          <div key={keys} className={styles.row}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key} className={styles.key}>
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p className={styles.note}>Single keys can be switched off in Settings.</p>
      <Button onClick={() => dialog.current?.close()}>Close</Button>
    </dialog>
  );
}
