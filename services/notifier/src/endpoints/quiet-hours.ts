/** Local times of a day, such as 22:00 and 07:00, and an IANA time zone. */
export interface QuietHours {
  readonly from: string;
  readonly to: string;
  readonly timeZone: string;
}

const minuteMs = 60_000;
const day = 24 * 60;

/** When the quiet hours end in which a moment is; undefined if it is in none. All in milliseconds since 1970. */
export function quietHoursEnd(nowMs: number, { from, to, timeZone }: QuietHours): number | undefined {
  const start = minuteOf(from);
  const length = distance(start, minuteOf(to));
  const now = localMinute(nowMs, timeZone);
  const passed = now === undefined ? length : distance(start, now);
  if (passed >= length) return undefined;
  const untilMs = (Math.floor(nowMs / minuteMs) + length - passed) * minuteMs;
  // Where the clocks are changed before the end, it comes an hour earlier or later.
  const reached = localMinute(untilMs, timeZone) ?? 0;
  const error = ((reached - minuteOf(to) + day + day / 2) % day) - day / 2;
  return Math.max(nowMs + minuteMs, untilMs - error * minuteMs);
}

const distance = (from: number, to: number): number => (to - from + day) % day;

function minuteOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return (hours ?? 0) * 60 + (minutes ?? 0);
}

/** The minute of the local day. Undefined if this Node does not know the time zone. */
function localMinute(ms: number, timeZone: string): number | undefined {
  if (!isTimeZone(timeZone)) return undefined;
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return minuteOf(format.format(ms));
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
