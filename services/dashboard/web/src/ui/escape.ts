import { type KeyboardEvent as ReactKeyboardEvent, useEffect, useRef } from 'react';

/** While it is active, Escape anywhere on the page does this, and nothing else. */
export function useEscape(isActive: boolean, act: () => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    if (!isActive) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.isComposing) return;
      event.stopPropagation();
      latest.current();
    };
    addEventListener('keydown', onKeyDown, true);
    return () => removeEventListener('keydown', onKeyDown, true);
  }, [isActive]);
}

/** For `onKeyDown` of a panel: Escape in it does this, and nothing around it. */
export const onEscape = (act: () => void) => (event: ReactKeyboardEvent) => {
  if (event.key !== 'Escape' || event.nativeEvent.isComposing) return;
  event.preventDefault();
  event.stopPropagation();
  act();
};
