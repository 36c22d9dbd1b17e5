import { type Ref, useEffect, useState } from 'react';
import styles from './search-field.module.css';

/** A search starts when the expert pauses while typing, so that each pause costs one call. */
const pauseMs = 250;

/** `text` is what the search field shows, `settled` what is searched for. */
export function useSearchText() {
  const [text, setText] = useState('');
  const [settled, setSettled] = useState('');
  useEffect(() => {
    const wanted = text.trim();
    if (!wanted) {
      setSettled('');
      return;
    }
    const timer = setTimeout(() => setSettled(wanted), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return { text, settled, change: setText };
}

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
      placeholder="Search questions, tags and codes"
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
