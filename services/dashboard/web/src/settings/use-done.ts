import { useEffect, useState } from 'react';

const shownMs = 4_000;

/** A quiet confirmation, shown for a moment. */
export function useDone(): readonly [string, (text: string) => void] {
  const [done, setDone] = useState({ text: '' });
  useEffect(() => {
    if (!done.text) return;
    const timer = setTimeout(() => setDone({ text: '' }), shownMs);
    return () => clearTimeout(timer);
  }, [done]);
  return [done.text, (text) => setDone({ text })];
}
