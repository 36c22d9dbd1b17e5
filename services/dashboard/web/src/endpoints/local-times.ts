const morning = 8;

/** The next day at eight in the morning, by this device's clock; with `weekday`, the next such day (1 is Monday). */
export function nextMorning(now: Date, weekday?: number): Date {
  const days = weekday === undefined ? 1 : (weekday - now.getDay() + 7) % 7 || 7;
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, morning);
}

const two = (part: number): string => String(part).padStart(2, '0');

/** The value of a field of the type `datetime-local`. */
export const toLocalText = (time: Date): string =>
  `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}T${two(time.getHours())}:${two(time.getMinutes())}`;
