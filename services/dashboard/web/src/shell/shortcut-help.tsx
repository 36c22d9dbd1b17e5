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
  [`${sendKey} Enter`, 'Send the answer'],
  [`${sendKey} Shift Enter`, 'Send it, and open the next request'],
  ['Esc', 'Leave the text box'],
  ['e', 'End the request'],
  ['/', 'Search'],
  ['g i', 'Go to the inbox'],
  ['g k', 'Go to the agent keys'],
  ['g s', 'Go to the settings'],
  ['?', 'Show this list'],
];

export function ShortcutHelp({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
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
      <Button onClick={onClose}>Close</Button>
    </dialog>
  );
}
