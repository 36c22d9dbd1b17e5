import { createContext, useContext, useEffect, useRef } from 'react';
import styles from './text-end.module.css';
import { watchEnd } from './watch-end.ts';

/** Is called with the name of each text whose end was shown. */
export const ShownContext = createContext<(name: string) => void>(() => {});

/** Stands at the end of a text, and notes when it was shown. */
export function TextEnd({ name }: { name: string }) {
  const onShown = useContext(ShownContext);
  const mark = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const element = mark.current;
    return element ? watchEnd(element, () => onShown(name)) : undefined;
  }, [name, onShown]);
  return <span ref={mark} className={styles.end} data-end={name} />;
}
