import type { ComponentProps } from 'react';
import styles from './button.module.css';
import { usePressGuard } from './press-guard.tsx';

interface ButtonProps extends ComponentProps<'button'> {
  /** `main`: the one main action of a page. `danger`: an action that cannot be undone. `quiet`: in rows and bars. */
  readonly look?: 'main' | 'plain' | 'danger' | 'quiet';
  /** The action is running: the button cannot be pressed again. */
  readonly isBusy?: boolean;
  /** Stands for a moment in place of its label: what became of the last press. */
  readonly says?: string | undefined;
  /** Is called when the button is pressed while it is `aria-disabled`: to say what is needed first. */
  readonly onDisabledClick?: () => void;
}

/** Moves the focus to the nearest heading when a focused button is removed and nothing else takes the focus. */
const keepFocus = (button: HTMLButtonElement) => () => {
  if (document.activeElement !== button) return;
  const around: HTMLElement[] = [];
  for (let at = button.parentElement; at; at = at.parentElement) around.push(at);
  setTimeout(() => {
    if (document.activeElement !== document.body) return;
    // Of the conversation, or of the list: a page has both.
    const part = around.find((element) => element.isConnected && element.querySelector('h1'));
    part?.querySelector('h1')?.focus({ preventScroll: true });
  });
};

/** Undefined: the action cannot be cancelled. */
export const CancelButton = ({ onCancel }: { onCancel: (() => void) | undefined }) =>
  onCancel && (
    <Button look="quiet" onClick={onCancel}>
      Cancel
    </Button>
  );

export function Button({
  look = 'plain',
  isBusy = false,
  says,
  className,
  type = 'button',
  onClick,
  onDisabledClick,
  onKeyDown,
  ...rest
}: ButtonProps) {
  const text = typeof rest.children === 'string' ? rest.children : '';
  const { isGuarded, onPress } = usePressGuard(rest['aria-label'] ?? text);
  const isDisabled = isBusy || rest['aria-disabled'] === true || rest['aria-disabled'] === 'true';
  return (
    <button
      ref={keepFocus}
      {...rest}
      {...(says && { children: says, 'aria-label': text })}
      type={type}
      className={[styles.button, styles[look], className].filter(Boolean).join(' ')}
      // Not `disabled`, which would take the focus away.
      aria-disabled={isDisabled || undefined}
      aria-busy={isBusy || undefined}
      data-disabled={isDisabled || undefined}
      // For tests alone: only a press that is dropped is announced.
      data-guarded={isGuarded || undefined}
      onClick={(event) => {
        if (!isBusy) onPress();
        if (!isDisabled && !isGuarded) return onClick?.(event);
        event.preventDefault();
        if (!isGuarded && !isBusy) onDisabledClick?.();
      }}
      onKeyDown={(event) => {
        // A key that is held down presses once.
        if (event.repeat && event.key === 'Enter') event.preventDefault();
        onKeyDown?.(event);
      }}
    />
  );
}
