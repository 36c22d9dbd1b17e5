import { useRef, useState } from 'react';
import { Button } from './button.tsx';
import { onEscape } from './escape.ts';
import { MoreIcon } from './icons.tsx';
import styles from './menu.module.css';

export interface MenuItem {
  readonly name: string;
  readonly title?: string;
  readonly onPress: () => void;
}

/** Actions behind one button. Escape, an action, and a focus elsewhere close it. */
export function Menu({ items }: { items: readonly MenuItem[] }) {
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  if (items.length === 0) return null;
  const close = () => {
    setIsOpen(false);
    // What an action opens returns the focus to it.
    button.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape works in its buttons.
    <div
      className={styles.menu}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) setIsOpen(false);
      }}
      onKeyDown={isOpen ? onEscape(close) : undefined}
    >
      <Button
        ref={button}
        look="quiet"
        className={styles.button}
        aria-label="More actions"
        title="More actions"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        <MoreIcon />
      </Button>
      {isOpen && (
        <div className={styles.items}>
          {items.map(({ name, title, onPress }) => (
            <Button
              key={name}
              look="quiet"
              title={title}
              onClick={() => {
                close();
                onPress();
              }}
            >
              {name}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}
