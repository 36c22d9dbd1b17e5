import type { ComponentProps } from 'react';
import styles from './text-box.module.css';

interface TextBoxProps extends ComponentProps<'textarea'> {
  readonly value: string;
  readonly onValue: (value: string) => void;
  /** Takes no line breaks. */
  readonly isLine: boolean;
}

/**
 * A text, all of it in sight. An `input` would hide what is beyond its width, and would drop line breaks from what it shows
 * but not from what is sent.
 */
export function TextBox({ value, onValue, isLine, ...rest }: TextBoxProps) {
  return (
    <div className={`${styles.grow} ${isLine ? styles.line : ''}`} data-copy-of={value}>
      <textarea
        {...rest}
        rows={isLine ? 1 : 2}
        value={value}
        onChange={({ target }) => onValue(isLine ? target.value.replaceAll('\n', '') : target.value)}
        onKeyDown={(event) => {
          if (isLine && event.key === 'Enter' && !event.nativeEvent.isComposing) event.preventDefault();
        }}
      />
    </div>
  );
}
