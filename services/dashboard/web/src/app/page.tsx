import { type ReactNode, useEffect, useRef } from 'react';
import styles from './page.module.css';
import { usePageTitle } from './page-title.tsx';
import { isTyping } from './shortcuts.ts';

/** A page of one column with a heading that is focused when the page opens. */
export function Page({ title, children }: { title: string; children: ReactNode }) {
  usePageTitle(title);
  return (
    <div className={styles.page}>
      <PageHeading>{title}</PageHeading>
      {children}
    </div>
  );
}

/** Screen readers and the keyboard begin here after a change of the page. */
export function PageHeading({
  children,
  className,
  takesFocus = true,
}: {
  children: ReactNode;
  className?: string | undefined;
  takesFocus?: boolean;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  const atOpening = useRef(takesFocus);
  useEffect(() => {
    // A page that loads late must not take the focus from a text field.
    if (atOpening.current && !isTyping(document.activeElement))
      heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1} className={className}>
      {children}
    </h1>
  );
}
