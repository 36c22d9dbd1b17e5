/** When a channel notifies, counted from the request or the agent's message: in seconds. */
const delays: readonly (readonly [seconds: number, label: string])[] = [
  [0, 'At once'],
  [60, 'After 1 minute'],
  [300, 'After 5 minutes'],
  [900, 'After 15 minutes'],
  [1_800, 'After 30 minutes'],
  [3_600, 'After 1 hour'],
  [14_400, 'After 4 hours'],
];

/** The choices for a channel. One that was set by other means is among them. */
export function delayOptions(least: number, current: number): readonly (readonly [string, string])[] {
  const known = delays.filter(([seconds]) => seconds >= least);
  const all = known.some(([seconds]) => seconds === current)
    ? known
    : [...known, [current, labelOf(current)] as const].sort(([one], [other]) => one - other);
  return all.map(([seconds, label]) => [String(seconds), label]);
}

const labelOf = (seconds: number): string =>
  seconds % 60 === 0 ? `After ${seconds / 60} minutes` : `After ${seconds} seconds`;

/** "at once", "if there is no answer after 5 minutes". */
export function describeDelay(seconds: number): string {
  if (seconds === 0) return 'at once';
  const [, label] = delays.find(([known]) => known === seconds) ?? [seconds, labelOf(seconds)];
  return `if there is no answer ${label.toLowerCase()}`;
}
