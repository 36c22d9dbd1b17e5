/** `0.1 s`, `12.3 s`, `2 min 5 s`: as exact as a reader cares for. */
export function formatTime(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}
