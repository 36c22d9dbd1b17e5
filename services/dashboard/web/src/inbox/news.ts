import { filterOf, type Row } from './rows.ts';

/** A new request, or an agent's message in one. */
export interface News {
  readonly kind: 'request' | 'message';
  readonly requestId: string;
}

/** Passes news on: from events, and from reads after events that were missed. */
export function createNews() {
  const calls = new Set<(news: News) => void>();
  /** `createdAt` of the newest request that was read. Undefined before the first read. */
  let newest: string | undefined;

  function report(news: News): void {
    for (const call of [...calls]) call(news);
  }

  return {
    report,
    /** Reports requests that were made since the last read and whose events were missed. */
    reportMissed(requests: readonly Row[], known: ReadonlySet<string>): void {
      const before = newest;
      const [first = { createdAt: '' }] = requests;
      if (before === undefined || first.createdAt > before) newest = first.createdAt;
      if (before === undefined) return;
      for (const row of requests) {
        const isMissed = row.createdAt > before && !known.has(row.requestId) && filterOf(row) === 'waiting';
        if (isMissed) report({ kind: 'request', requestId: row.requestId });
      }
    },
    listen(call: (news: News) => void): () => void {
      calls.add(call);
      return () => calls.delete(call);
    },
  };
}
