import { Link } from 'wouter';
import { allFilter } from '../shell/list-address.ts';
import { routes } from '../shell/routes.ts';
import styles from './filter-tabs.module.css';
import { useCounts } from './inbox-context.tsx';
import { type Filter, filters } from './rows.ts';
import { useListing } from './use-listing.ts';

export const filterNames: Record<Filter, string> = {
  waiting: 'Waiting',
  answered: 'Answered',
  ended: 'Ended',
};

interface FilterTabsProps {
  /** Whether the list shows what a search finds, in all of them. */
  readonly isSearching: boolean;
  readonly onChoose: () => void;
}

export function FilterTabs({ isSearching, onChoose }: FilterTabsProps) {
  const { listing, facets, hasFacets, hrefOf } = useListing();
  const counts = useCounts(facets);
  const chosen = isSearching ? undefined : (listing.filter ?? allFilter);
  const hasAll = hasFacets || listing.filter === undefined;
  const names = hasAll ? ([allFilter, ...filters] as const) : filters;
  return (
    <nav className={styles.tabs} aria-label="Filters">
      {names.map((name) => (
        <Link
          key={name}
          href={hrefOf(routes.inbox, { filter: name === 'waiting' ? undefined : name })}
          className={styles.tab}
          onClick={onChoose}
          aria-current={name === chosen ? 'page' : undefined}
        >
          {name === allFilter ? (
            'All'
          ) : (
            <>
              <span>
                {filterNames[name]}
                {name === 'waiting' && (
                  <span className={hasAll ? 'visually-hidden' : styles.long}> for you</span>
                )}
              </span>
              <span className={styles.count}>{counts?.[name]}</span>
            </>
          )}
        </Link>
      ))}
    </nav>
  );
}
