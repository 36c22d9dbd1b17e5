import { useEffect, useState } from 'react';

/** A search begins when the expert pauses in typing: one call for each pause. */
const pauseMs = 250;

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
