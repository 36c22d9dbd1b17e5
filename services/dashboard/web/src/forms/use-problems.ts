import { useEffect, useState } from 'react';

/** While the expert types in a field, a new problem of it is shown after this time without a key. */
const whileTypingMs = 600;

/**
 * Which problems of a form are shown: those of fields that were changed, and all after "Approve". Not at once when a field is left: what
 * appears then moves the page under the press that has left it.
 */
export function useProblems(problems: ReadonlyMap<string, string>) {
  const [known, setKnown] = useState<ReadonlySet<string>>(new Set());
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set());
  const [wasAsked, setWasAsked] = useState(false);
  const add = (names: Iterable<string>) => setKnown((before) => new Set([...before, ...names]));

  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the form starts the time again.
  useEffect(() => {
    if (changed.size === 0) return;
    const timer = setTimeout(() => add(changed), whileTypingMs);
    return () => clearTimeout(timer);
  }, [changed, problems]);

  const count = problems.size;
  return {
    hasAny: count > 0,
    shown: new Map([...problems].filter(([name]) => known.has(name))),
    hint:
      wasAsked && count > 0 ? `${count === 1 ? 'One field needs' : `${count} fields need`} a change.` : '',
    onChange: (name: string) => setChanged((before) => new Set([...before, name])),
    /** Whether there is no problem. Otherwise all are shown, and the first field gets the focus. */
    check(form: HTMLElement | null): boolean {
      const [first] = problems.keys();
      if (first === undefined) return true;
      add(problems.keys());
      setWasAsked(true);
      const field = form?.querySelector(`[data-field="${CSS.escape(first)}"]`);
      field?.scrollIntoView({ block: 'nearest' });
      field?.querySelector<HTMLElement>('input, textarea')?.focus();
      return false;
    },
  };
}
