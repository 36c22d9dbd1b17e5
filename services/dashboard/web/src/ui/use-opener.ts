import { type RefObject, useRef, useState } from 'react';

interface Opener {
  readonly isOpen: boolean;
  /** The button that opens the panel. It is not rendered while the panel is open. */
  readonly button: RefObject<HTMLButtonElement | null>;
  open(): void;
  /** Closes the panel. The focus returns to the button once it is rendered again. */
  close(): void;
}

/** The state of a panel that takes the place of the button that opens it. */
export function useOpener(): Opener {
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return {
    isOpen,
    button,
    open: () => setIsOpen(true),
    close() {
      setIsOpen(false);
      setTimeout(() => button.current?.focus());
    },
  };
}
