import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';

/** The second click of a double click comes within this time. */
const guardMs = 500;

/**
 * Where a press decides or sends, and the next button stands at the same place: is called with the label of each button that is
 * pressed, and whether the press was dropped.
 */
export const PressGuard = createContext<((label: string, isDropped: boolean) => void) | undefined>(undefined);

/** For a button that sends a code: a press that was meant for another button comes without the code, and sends nothing. */
export const Unguarded = ({ children }: { children: ReactNode }) => (
  <PressGuard value={undefined}>{children}</PressGuard>
);

/**
 * A press within half a second of a button appearing, or getting another label, was meant for what stood there before: it is
 * dropped. No press starts this time again.
 */
export function usePressGuard(label: string): { isGuarded: boolean; onPress(): void } {
  const onPress = useContext(PressGuard);
  const isActive = onPress !== undefined;
  const [known, setKnown] = useState<string>();
  useEffect(() => {
    if (!isActive) return;
    const timer = setTimeout(() => setKnown(label), guardMs);
    return () => {
      clearTimeout(timer);
      setKnown(undefined);
    };
  }, [isActive, label]);
  const isGuarded = isActive && known !== label;
  return { isGuarded, onPress: () => onPress?.(label, isGuarded) };
}
