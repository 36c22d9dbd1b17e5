import { useEffect, useState } from 'react';
import styles from './skeleton.module.css';

/** A placeholder in the shape of the content. It appears after 150 ms, since most content is loaded faster. */
export function Skeleton({ lines }: { lines: readonly string[] }) {
  const isLate = useIsLate(150);
  return (
    <div className={styles.skeleton} aria-hidden={!isLate || undefined}>
      {isLate && <span className="visually-hidden">Loading</span>}
      {lines.map((width, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change their order.
        <span key={at} className={isLate ? styles.line : undefined} style={{ width }} />
      ))}
    </div>
  );
}

export function useIsLate(afterMs: number): boolean {
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLate(true), afterMs);
    return () => clearTimeout(timer);
  }, [afterMs]);
  return isLate;
}
