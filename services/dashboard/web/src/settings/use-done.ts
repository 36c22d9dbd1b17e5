import { useEffect, useState } from 'react';

const shownMs = 4_000;

/** A short confirmation that disappears by itself. */
export function useDone(): readonly [string, (text: string) => void] {
  const [done, setDone] = useState({ text: '' });
  useEffect(() => {
    if (!done.text) return;
    const timer = setTimeout(() => setDone({ text: '' }), shownMs);
    return () => clearTimeout(timer);
  }, [done]);
  return [done.text, (text) => setDone({ text })];
}
