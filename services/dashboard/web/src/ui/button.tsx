import type { ComponentProps } from 'react';
import styles from './button.module.css';

interface ButtonProps extends ComponentProps<'button'> {
  /** `main` for what the page is there for, once a page; `danger` for what cannot be undone; `quiet` in rows and bars. */
  readonly look?: 'main' | 'plain' | 'danger' | 'quiet';
  /** Works on it: it cannot be pressed again, and says so. */
  readonly isBusy?: boolean;
}

export function Button({
  look = 'plain',
  isBusy = false,
  className,
  type = 'button',
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      className={[styles.button, styles[look], className].filter(Boolean).join(' ')}
      // Not `disabled`, which would take the focus away.
      aria-disabled={isBusy || rest['aria-disabled'] || undefined}
      aria-busy={isBusy || undefined}
      onClick={(event) => {
        if (isBusy || rest['aria-disabled']) event.preventDefault();
        else onClick?.(event);
      }}
    />
  );
}
