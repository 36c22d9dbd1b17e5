/** `90 seconds`, `10 minutes`, `2 hours`. */
export function describeDuration(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  if (seconds < 120) return count(seconds, 'second');
  if (seconds < 7_200) return count(seconds / 60, 'minute');
  return count(seconds / 3_600, 'hour');
}

function count(amount: number, unit: string): string {
  const rounded = Math.round(amount * 10) / 10;
  return `${rounded} ${unit}${rounded === 1 ? '' : 's'}`;
}

/** How long ago this was, or how far ahead it is; empty within a minute. */
export function describeAge(iso: string, now: number): string {
  const age = now - Date.parse(iso);
  if (Math.abs(age) <= 60_000) return '';
  return `${describeDuration(Math.abs(age))} ${age > 0 ? 'ago' : 'ahead'}`;
}

/** `14:03:27`, in the local time zone. */
export function describeTime(at: number): string {
  const time = new Date(at);
  const parts = [time.getHours(), time.getMinutes(), time.getSeconds()];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}
