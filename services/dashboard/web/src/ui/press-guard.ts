import { createContext, useContext, useEffect, useState } from 'react';

/** The second click of a double click comes within this time. */
const guardMs = 500;

/** Whether buttons are guarded: where a press decides or sends, and the next button stands at the same place. */
export const PressGuard = createContext(false);

interface Guard {
  readonly isGuarded: boolean;
  /** The button was pressed: it stays guarded until no press has come for a while. */
  restart(): void;
}

/**
 * Guards a button for a moment after it has appeared, or got another label, so that it does not take a press that was meant for
 * the button that stood there before.
 */
export function usePressGuard(label: string): Guard {
  const isActive = useContext(PressGuard);
  const [known, setKnown] = useState<string>();
  const [presses, setPresses] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each press starts the time again.
  useEffect(() => {
    if (!isActive) return;
    const timer = setTimeout(() => setKnown(label), guardMs);
    return () => {
      clearTimeout(timer);
      setKnown(undefined);
    };
  }, [isActive, label, presses]);
  return { isGuarded: isActive && known !== label, restart: () => setPresses((before) => before + 1) };
}
