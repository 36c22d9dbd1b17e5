import { useRef, useState } from 'react';
import { Button } from './button.tsx';

export interface OpenPart<Part extends string> {
  /** The part of the row that is open below it. */
  readonly open: Part | undefined;
  show(part: Part): void;
  /** Opens the part of a button, or closes it. */
  toggle(part: Part, opener: HTMLButtonElement): void;
  /** Closes the open part. The focus returns to the button that opened it. */
  close(): void;
}

/** The state of a row that opens one of several parts below it. */
export function useOpenPart<Part extends string>(): OpenPart<Part> {
  const [open, show] = useState<Part>();
  const lastOpener = useRef<HTMLButtonElement>(null);
  return {
    open,
    show,
    toggle(part, opener) {
      lastOpener.current = opener;
      show(open === part ? undefined : part);
    },
    close() {
      show(undefined);
      lastOpener.current?.focus();
    },
  };
}

interface PartButtonsProps<Part extends string> {
  /** Each part with the text of its button. */
  readonly parts: readonly (readonly [Part, string])[];
  /** Names the row for screen readers. */
  readonly rowName: string;
  readonly state: OpenPart<Part>;
}

/** The buttons that open the parts of a row. */
export function PartButtons<Part extends string>({ parts, rowName, state }: PartButtonsProps<Part>) {
  return parts.map(([part, label]) => (
    <Button
      key={part}
      look="quiet"
      aria-label={`${label}: ${rowName}`}
      aria-expanded={state.open === part}
      onClick={({ currentTarget }) => state.toggle(part, currentTarget)}
    >
      {label}
    </Button>
  ));
}
