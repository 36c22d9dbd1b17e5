import { type ReactNode, useEffect, useRef } from 'react';
import { createStore, useStore } from '../ui/store.ts';
import styles from './page.module.css';
import { isTyping } from './shortcuts.ts';

const pageTitle = createStore('');
/** The number of waiting requests, shown in the title of every page. */
export const waitingCount = createStore<number | string>(0);

/** Sets the title that the browser's tab shows. */
export function usePageTitle(title: string): void {
  useEffect(() => pageTitle.set(title), [title]);
}

export function DocumentTitle() {
  const title = useStore(pageTitle);
  const waiting = useStore(waitingCount);
  const count = waiting === 0 ? '' : `(${waiting}) `;
  return <title>{`${count}${title ? `${title} · ` : ''}Expert Relay`}</title>;
}

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

/** What is shown before the app opens. */
export function StartPage({ children }: { children: ReactNode }) {
  return (
    <main className={styles.page}>
      <h1 className="visually-hidden">Expert Relay</h1>
      {children}
    </main>
  );
}

/** A heading that takes the focus when its page opens, so that screen readers and the keyboard start there. */
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
  const takesFocusAtFirst = useRef(takesFocus);
  useEffect(() => {
    // A page that loads late must not take the focus from a text field.
    if (takesFocusAtFirst.current && !isTyping(document.activeElement))
      heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1} className={className}>
      {children}
    </h1>
  );
}
