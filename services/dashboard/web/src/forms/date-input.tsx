import { type ComponentProps, useLayoutEffect, useRef } from 'react';
import { incomplete, readLocal, toLocal } from './local-time.ts';

interface DateInputProps extends ComponentProps<'input'> {
  readonly format: 'date' | 'date-time';
  readonly value: string;
  readonly onValue: (value: string) => void;
}

/** A date, or a date and time in the time zone of the browser. */
export function DateInput({ format, value, onValue, ...rest }: DateInputProps) {
  const input = useRef<HTMLInputElement>(null);
  const isDate = format === 'date';
  const shown = value === incomplete ? '' : isDate ? value : toLocal(value);
  useLayoutEffect(() => {
    const element = input.current;
    // While it is being typed, the browser reports no value, and a value would delete what was typed.
    if (!element || element === document.activeElement || value === incomplete) return;
    if (element.value !== shown) element.value = shown;
  }, [shown, value]);
  const read = (typed: string) => onValue(isDate ? typed : readLocal(typed));
  return (
    <input
      {...rest}
      ref={input}
      type={isDate ? 'date' : 'datetime-local'}
      step={isDate ? undefined : 1}
      defaultValue={shown}
      onChange={({ target }) => read(target.value)}
      onBlur={({ target }) => {
        if (target.validity.badInput) onValue(incomplete);
        else if (target.value === '') onValue('');
      }}
    />
  );
}
