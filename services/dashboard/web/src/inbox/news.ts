import { filterOf, type Row, type Rows } from './rows.ts';

/** A new request, or an agent's message in one. */
export interface News {
  readonly kind: 'request' | 'message';
  readonly row: Row;
}

/** What a read has brought of agents, the oldest first. `readUntil` is the newest activity before it, and `known` are the rows of that time. */
export function findNews(read: Rows, { known, readUntil }: { known: Rows; readUntil: string }): News[] {
  const before = new Map(known.map(({ requestId, lastActivityAt }) => [requestId, lastActivityAt]));
  return read
    .filter(
      (row) =>
        filterOf(row) === 'waiting' &&
        row.lastActivityAt > readUntil &&
        row.lastActivityAt !== before.get(row.requestId),
    )
    .map((row): News => ({ kind: row.createdAt > readUntil ? 'request' : 'message', row }))
    .reverse();
}
