import { type ReactNode, useEffect, useRef } from 'react';
import styles from './panel.module.css';
import { useReturnFocus } from './use-return-focus.ts';

interface PanelProps {
  readonly title: string;
  /** No button opened it, so it takes the focus only when its title changes. */
  readonly isPartOfPage?: boolean;
  /** It stands in another panel or in a row, so that it needs no frame. */
  readonly isInner?: boolean;
  readonly children: ReactNode;
}

/** A part of the page that a button opens. The focus moves to its heading or to an element with `autoFocus`. */
export function Panel({ title, isPartOfPage = false, isInner = false, children }: PanelProps) {
  const panel = useRef<HTMLElement>(null);
  useReturnFocus();
  const isFirst = useRef(isPartOfPage);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new title is a new step of the same panel.
  useEffect(() => {
    const hasFocus = isFirst.current || panel.current?.contains(document.activeElement);
    isFirst.current = false;
    if (!hasFocus) panel.current?.querySelector('h2')?.focus();
  }, [title]);
  return (
    <section
      ref={panel}
      className={isInner ? `${styles.panel} ${styles.inner}` : styles.panel}
      aria-label={title}
    >
      <h2 tabIndex={-1}>{title}</h2>
      {children}
    </section>
  );
}
