import type { ReactNode } from 'react';
import styles from './notice.module.css';

interface NoticeProps {
  readonly kind?: 'plain' | 'warning' | 'danger';
  readonly title?: string;
  readonly children?: ReactNode;
  /** What to do next. */
  readonly actions?: ReactNode;
}

/** One or two sentences about a state. Screen readers announce warnings and failures. */
export function Notice({ kind = 'plain', title, children, actions }: NoticeProps) {
  return (
    <div className={`${styles.notice} ${styles[kind]}`} role={kind === 'plain' ? undefined : 'alert'}>
      <div className={styles.text}>
        {title && <p className={styles.title}>{title}</p>}
        {children}
      </div>
      {actions && <div className={styles.actions}>{actions}</div>}
    </div>
  );
}
