import { useEffect, useState } from 'react';

/** Returns the focus to what had it before the component appeared, when the component is removed with the focus in it. */
export function useReturnFocus(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (document.activeElement === document.body && before instanceof HTMLElement) before.focus();
    },
    [before],
  );
}
