import { useEffect, useState } from 'react';

const doneShownMs = 4_000;

/** A short confirmation of an action, which disappears after a few seconds. */
export function useDone(): readonly [string, (text: string) => void] {
  const [done, setDone] = useState({ text: '' });
  useEffect(() => {
    if (!done.text) return;
    const timer = setTimeout(() => setDone({ text: '' }), doneShownMs);
    return () => clearTimeout(timer);
  }, [done]);
  return [done.text, (text) => setDone({ text })];
}
