import styles from '../ui/form.module.css';
import { CallError } from './call.ts';

/** The error of an action, beside the button that started it. */
export function ActionError({ error }: { error: unknown }) {
  return (
    <p role="alert" className={error ? styles.error : 'visually-hidden'}>
      {error ? describeError(error) : ''}
    </p>
  );
}

/** Says what happened and what to do. The relay's own error messages say both. */
export function describeError(error: unknown): string {
  if (error instanceof CallError) {
    if (error.status === 0) return 'The relay cannot be reached. Nothing was changed: try again.';
    if (error.status === 401) return 'You were signed out. Sign in again, then try again.';
    if (error.status === 429) return 'Too many calls. Try again in a minute.';
    if (error.status >= 500) return 'The relay has a problem. Try again.';
    return error.message;
  }
  if (error instanceof Error && error.name === 'RelayError') return error.message;
  return 'That did not work. Try again, or reload this page.';
}
