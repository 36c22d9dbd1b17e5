import { type ComponentProps, type ReactNode, useId } from 'react';
import styles from './form.module.css';

interface TextFieldProps extends Omit<ComponentProps<'input'>, 'id'> {
  readonly label: string;
  readonly hint?: ReactNode;
  /** Announced, and shown below. */
  readonly error?: string | undefined;
}

/** For codes: the keyboard and the browser must not correct or complete them. */
export const CodeField = (props: TextFieldProps) => (
  <TextField autoComplete="off" autoCapitalize="characters" autoCorrect="off" spellCheck={false} {...props} />
);

export function TextField({ label, hint, error, className, ...rest }: TextFieldProps) {
  const id = useId();
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      <input
        {...rest}
        id={id}
        className={[styles.input, className].filter(Boolean).join(' ')}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy || undefined}
      />
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
      <p id={`${id}-error`} role="alert" className={error ? styles.error : 'visually-hidden'}>
        {error}
      </p>
    </div>
  );
}
