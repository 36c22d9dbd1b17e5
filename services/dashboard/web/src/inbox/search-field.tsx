import type { Ref } from 'react';
import styles from './search-field.module.css';

interface SearchFieldProps {
  readonly ref: Ref<HTMLInputElement>;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

export function SearchField({ ref, text, onChange }: SearchFieldProps) {
  return (
    <input
      ref={ref}
      type="search"
      className={styles.field}
      aria-label="Search requests"
      placeholder="Search questions and codes"
      dir="auto"
      maxLength={200}
      autoComplete="off"
      value={text}
      onChange={({ target }) => onChange(target.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        if (text) onChange('');
        else event.currentTarget.blur();
      }}
    />
  );
}
