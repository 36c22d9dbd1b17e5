import styles from './reply-area.module.css';

/** Says why nothing was sent. */
export function ReadFirst({ hint }: { hint: string }) {
  return (
    <p role="status" className={hint ? styles.readFirst : 'visually-hidden'}>
      {hint}
    </p>
  );
}
