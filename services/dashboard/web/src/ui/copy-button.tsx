import { useEffect, useState } from 'react';
import { Button } from './button.tsx';

/** Copies a text and confirms it for two seconds. */
export function CopyButton({
  text,
  label = 'Copy',
  look = 'quiet',
  ...rest
}: {
  text: string;
  label?: string;
  look?: 'quiet' | 'plain';
  'aria-label'?: string;
}) {
  const [outcome, copy] = useCopy(text);
  return (
    <>
      <Button look={look} onClick={copy} {...rest}>
        {outcome === 'copied' ? 'Copied' : outcome === 'failed' ? 'Select and copy it' : label}
      </Button>
      <span role="status" className="visually-hidden">
        {outcome === 'copied' ? 'Copied' : ''}
      </span>
    </>
  );
}

/** Copies a text when `copy` is called. The outcome is there for two seconds. */
export function useCopy(text: string): [outcome: 'copied' | 'failed' | undefined, copy: () => void] {
  const [outcome, setOutcome] = useState<'copied' | 'failed'>();
  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(() => setOutcome(undefined), 2_000);
    return () => clearTimeout(timer);
  }, [outcome]);
  return [outcome, () => void copyText(text).then((isCopied) => setOutcome(isCopied ? 'copied' : 'failed'))];
}

/** Returns whether it was copied: browsers may refuse it. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
