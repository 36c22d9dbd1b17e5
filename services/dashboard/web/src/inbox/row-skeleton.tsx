import type { ReactNode } from 'react';
import { useIsLate } from '../ui/skeleton.tsx';
import styles from './row-skeleton.module.css';

/** Placeholder rows while requests are being read. For the first 150 ms it shows its children instead. */
export function RowSkeleton({ rows = 5, children }: { rows?: number; children?: ReactNode }) {
  if (!useIsLate(150)) return children;
  return (
    <div>
      <span className="visually-hidden">Loading</span>
      {Array.from({ length: rows }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows never change their order.
        <div key={at} className={styles.row}>
          <span className={styles.agent} />
          <span className={styles.text} />
        </div>
      ))}
    </div>
  );
}
