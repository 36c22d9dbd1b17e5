import { createContext, useContext, useEffect, useRef } from 'react';
import styles from './text-end.module.css';
import { watchEnd } from './watch-end.ts';

interface Shown {
  /** The end of this text was shown. */
  markShown(name: string): void;
  /** It has come into view, or has left it. */
  markInView(name: string, isInView: boolean): void;
}

export const ShownContext = createContext<Shown | undefined>(undefined);

/** Stands at the end of a text, and notes when it was shown. */
export function TextEnd({ name }: { name: string }) {
  const { markShown, markInView } = useContext(ShownContext) ?? {};
  const mark = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const element = mark.current;
    if (!element || !markShown || !markInView) return;
    return watchEnd(element, {
      onView: (isInView) => markInView(name, isInView),
      onShown: () => markShown(name),
    });
  }, [name, markShown, markInView]);
  return <span ref={mark} className={styles.end} data-end={name} />;
}
