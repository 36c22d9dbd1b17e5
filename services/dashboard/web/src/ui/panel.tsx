import { type ReactNode, useEffect, useRef } from 'react';
import styles from './panel.module.css';

/** A part of the page that opens in answer to a button. It takes the focus: its heading, or what asks for it within. */
export function Panel({ title, children }: { title: string; children: ReactNode }) {
  const panel = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another title is another step of the same panel.
  useEffect(() => {
    const hasFocus = panel.current?.contains(document.activeElement);
    if (!hasFocus) panel.current?.querySelector('h2')?.focus();
  }, [title]);
  return (
    <section ref={panel} className={styles.panel} aria-label={title}>
      <h2 tabIndex={-1}>{title}</h2>
      {children}
    </section>
  );
}
