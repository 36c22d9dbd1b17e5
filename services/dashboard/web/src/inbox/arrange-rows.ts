import type { Row, Rows } from './rows.ts';

/** How the expert wants to see a list. */
export interface Arrangement {
  readonly order: 'newest' | 'time-left';
  readonly now: number;
}

/** The rows in the wanted order: those that are snoozed are the last ones. */
export function arrangeRows(rows: Rows, { order, now }: Arrangement): Rows {
  const inOrder = order === 'newest' ? rows : [...rows].sort(compareTimeLeft);
  const later = inOrder.filter((row) => isSnoozed(row, now));
  return later.length === 0 ? inOrder : [...inOrder.filter((row) => !isSnoozed(row, now)), ...later];
}

const compareTimeLeft = ({ expiresAt: one }: Row, { expiresAt: other }: Row): number =>
  one === other ? 0 : one < other ? -1 : 1;

/** Whether the expert wants to see a request later. */
export const isSnoozed = ({ snoozedUntil }: Pick<Row, 'snoozedUntil'>, now: number): boolean =>
  snoozedUntil !== undefined && Date.parse(snoozedUntil) > now;
