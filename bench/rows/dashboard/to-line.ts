import { quantile, spreadOf } from '../../measure/spread.ts';
import type { Line } from '../../measure/table.ts';

/** One line of the row `dashboard`. `share`: which of the times, from the shortest to the longest, is compared with the goal. */
export function toLine(
  title: string,
  times: readonly number[],
  goal: number,
  share: number,
  base: readonly number[],
): Line {
  const reached = quantile(times, share) <= goal ? 'met' : 'MISSED';
  const ratio = spreadOf(times).median / spreadOf(base).median;
  return {
    title: `dashboard: ${title}`,
    note: `${describe(times)}, ${ratio.toFixed(1)} times the baseline, goal p${share * 100} <= ${goal} ms ${reached}`,
  };
}

export const describe = (times: readonly number[]): string =>
  `p50 ${quantile(times, 0.5).toFixed(0)} ms, p95 ${quantile(times, 0.95).toFixed(0)} ms`;
