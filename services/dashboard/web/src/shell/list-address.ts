import { useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useIsNarrow } from '../ui/is-narrow.ts';
import { routes } from './routes.ts';

/** Which requests the list shows, as the address of the page says it. Every page beside the list keeps it. */
export type ListAddress = Readonly<Partial<Record<'filter' | 'keyId' | 'tag', string | undefined>>>;

/** The filter that shows the requests of all others. */
export const allFilter = 'all';

/** What the address says, and addresses of the list and of requests that say the same, apart from a change. */
export function useListAddress() {
  const search = useSearch();
  return useMemo(() => {
    const hrefOf = (path: string, change: ListAddress = {}): string => {
      const query = new URLSearchParams(search);
      for (const [name, value] of Object.entries(change)) {
        if (value) query.set(name, value);
        else query.delete(name);
      }
      return query.size === 0 ? path : `${path}?${query}`;
    };
    return { query: new URLSearchParams(search), hrefOf };
  }, [search]);
}

/** Addresses that change the list, and leave the page beside it open. A narrow screen shows one of the two: the list. */
export function useListHref(): (change: ListAddress) => string {
  const { hrefOf } = useListAddress();
  const [path] = useLocation();
  const isNarrow = useIsNarrow();
  return (change) => hrefOf(isNarrow ? routes.inbox : path, change);
}
