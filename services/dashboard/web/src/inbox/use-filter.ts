import { useSearch } from 'wouter';
import { type Filter, filters } from './rows.ts';

/** The filter that the address names, and addresses that keep it. */
export function useFilter() {
  const search = useSearch();
  const named = new URLSearchParams(search).get('filter');
  const filter: Filter = filters.find((one) => one === named) ?? 'waiting';
  return { filter, hrefOf: (path: string) => (filter === 'waiting' ? path : `${path}?filter=${filter}`) };
}
