import { useEffect, useId, useRef } from 'react';
import formStyles from '../ui/form.module.css';
import { isSendKey } from '../ui/send-key.ts';
import styles from './fields.module.css';

interface CommentBoxProps {
  readonly value: string;
  readonly isFocused: boolean;
  readonly onChange: (value: string) => void;
  /** The keys that send a message. They decide nothing. */
  readonly onSendKey: () => void;
}

export function CommentBox({ value, isFocused, onChange, onSendKey }: CommentBoxProps) {
  const id = useId();
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (isFocused) box.current?.focus();
  }, [isFocused]);
  return (
    <div className={formStyles.field}>
      <label htmlFor={id} className={formStyles.label}>
        Comment <span className={styles.optional}>(optional)</span>
      </label>
      <textarea
        ref={box}
        id={id}
        className={`${formStyles.input} ${styles.lines}`}
        data-reply=""
        dir="auto"
        rows={2}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={(event) => {
          if (isSendKey(event)) onSendKey();
        }}
      />
    </div>
  );
}
