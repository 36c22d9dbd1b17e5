import { Link, useSearch } from 'wouter';
import { routes } from '../shell/routes.ts';
import styles from './filter-tabs.module.css';
import { useCounts } from './inbox-context.tsx';
import { type Filter, filters } from './rows.ts';

export const filterNames: Record<Filter, string> = {
  waiting: 'Waiting',
  answered: 'Answered',
  ended: 'Ended',
};

const withFilter = (path: string, filter: Filter): string =>
  filter === 'waiting' ? path : `${path}?filter=${filter}`;

/** The filter that the address names, and addresses that keep it. */
export function useFilter() {
  const named = new URLSearchParams(useSearch()).get('filter');
  const filter: Filter = filters.find((name) => name === named) ?? 'waiting';
  return { filter, hrefOf: (path: string) => withFilter(path, filter) };
}

interface FilterTabsProps {
  /** Undefined: the list shows all requests. */
  readonly filter: Filter | undefined;
  readonly onChoose: () => void;
}

export function FilterTabs({ filter, onChoose }: FilterTabsProps) {
  const counts = useCounts();
  return (
    <nav className={styles.tabs} aria-label="Filters">
      {filters.map((name) => (
        <Link
          key={name}
          href={withFilter(routes.inbox, name)}
          className={styles.tab}
          onClick={onChoose}
          aria-current={name === filter ? 'page' : undefined}
        >
          <span>
            {filterNames[name]}
            {name === 'waiting' && <span className={styles.long}> for you</span>}
          </span>
          <span className={styles.count}>{counts?.[name]}</span>
        </Link>
      ))}
    </nav>
  );
}
