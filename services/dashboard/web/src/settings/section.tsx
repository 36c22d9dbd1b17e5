import { type ReactNode, useId } from 'react';
import styles from './settings.module.css';

interface SectionProps {
  readonly title: string;
  readonly about?: ReactNode;
  /** Confirmation of the last action. It is announced. */
  readonly done?: string;
  readonly children: ReactNode;
}

/** A part of the settings. */
export function Section({ title, about, done = '', children }: SectionProps) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id}>
      <div className={styles.head}>
        <h2 id={id}>{title}</h2>
        <p role="status" className={styles.done}>
          {done}
        </p>
      </div>
      {about && <p className={styles.about}>{about}</p>}
      {children}
    </section>
  );
}
