import { useRef, useState } from 'react';
import { Button } from './button.tsx';

export interface RowParts<Part extends string> {
  /** The part that is shown below the row. */
  readonly shown: Part | undefined;
  show(part: Part): void;
  /** Shows the part of a button, or hides it. */
  toggle(part: Part, button: HTMLButtonElement): void;
  /** Hides the part that is shown. The focus returns to its button. */
  close(): void;
}

/** The state of a row that shows one of several parts below it. */
export function useRowParts<Part extends string>(): RowParts<Part> {
  const [shown, show] = useState<Part>();
  const lastButton = useRef<HTMLButtonElement>(null);
  return {
    shown,
    show,
    toggle(part, button) {
      lastButton.current = button;
      show(shown === part ? undefined : part);
    },
    close() {
      show(undefined);
      lastButton.current?.focus();
    },
  };
}

interface PartButtonsProps<Part extends string> {
  /** Each part with the text of its button. */
  readonly parts: readonly (readonly [Part, string])[];
  /** Names the row for screen readers. */
  readonly rowName: string;
  readonly state: RowParts<Part>;
}

/** The buttons that show the parts of a row. */
export function PartButtons<Part extends string>({ parts, rowName, state }: PartButtonsProps<Part>) {
  return parts.map(([part, label]) => (
    <Button
      key={part}
      look="quiet"
      aria-label={`${label}: ${rowName}`}
      aria-expanded={state.shown === part}
      onClick={({ currentTarget }) => state.toggle(part, currentTarget)}
    >
      {label}
    </Button>
  ));
}
