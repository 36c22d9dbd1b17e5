/** Stands for a date that was typed in part: it is valid nowhere. */
export const incomplete = 'incomplete';

const two = (number: number) => String(Math.trunc(Math.abs(number))).padStart(2, '0');

/** What a `datetime-local` control shows for a time with an offset. */
export function toLocal(value: string): string {
  const at = new Date(value);
  if (Number.isNaN(at.getTime())) return '';
  const year = String(at.getFullYear()).padStart(4, '0');
  const date = `${year}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date}T${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** The time for what a `datetime-local` control contains, as forms want it: in UTC, with seconds. */
export function readLocal(typed: string): string {
  if (typed === '') return '';
  const at = new Date(typed);
  return Number.isNaN(at.getTime()) ? incomplete : at.toISOString().replace('.000Z', 'Z');
}

type DateFormat = 'date' | 'date-time';

export const isDateFormat = (format: string | undefined): format is DateFormat =>
  format === 'date' || format === 'date-time';

/** Whether a date control shows all of a value: it has no fractions, no offsets, and neither the year 0 nor five digits. */
export function showsExactly(format: DateFormat, value: string): boolean {
  if (value === incomplete) return true;
  const shown = format === 'date' ? value : toLocal(value);
  return /^(?!0000)\d{4}-/.test(shown) && (format === 'date' || readLocal(shown) === value);
}
