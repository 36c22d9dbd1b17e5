import { type ReactNode, useEffect, useRef } from 'react';
import styles from './panel.module.css';

interface PanelProps {
  readonly title: string;
  /** No button has opened it: the focus stays where it is, until another step of it appears. */
  readonly isPartOfPage?: boolean;
  readonly children: ReactNode;
}

/** A part of the page that opens in answer to a button. It takes the focus: its heading, or what asks for it within. */
export function Panel({ title, isPartOfPage = false, children }: PanelProps) {
  const panel = useRef<HTMLElement>(null);
  const isFirst = useRef(isPartOfPage);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another title is another step of the same panel.
  useEffect(() => {
    const hasFocus = isFirst.current || panel.current?.contains(document.activeElement);
    isFirst.current = false;
    if (!hasFocus) panel.current?.querySelector('h2')?.focus();
  }, [title]);
  return (
    <section ref={panel} className={styles.panel} aria-label={title}>
      <h2 tabIndex={-1}>{title}</h2>
      {children}
    </section>
  );
}
