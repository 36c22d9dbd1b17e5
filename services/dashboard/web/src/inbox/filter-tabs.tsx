import { Link } from 'wouter';
import { routes } from '../app/routes.ts';
import styles from './filter-tabs.module.css';
import { useCounts } from './inbox-context.tsx';
import { type Filter, filters } from './rows.ts';

export const filterNames: Record<Filter, string> = {
  waiting: 'Waiting',
  answered: 'Answered',
  ended: 'Ended',
};

const hrefOfFilter = (filter: Filter): string =>
  filter === 'waiting' ? routes.inbox : `${routes.inbox}?filter=${filter}`;

export function FilterTabs({ filter }: { filter: Filter }) {
  const counts = useCounts();
  return (
    <nav className={styles.tabs} aria-label="Filters">
      {filters.map((one) => (
        <Link
          key={one}
          href={hrefOfFilter(one)}
          className={styles.tab}
          aria-current={one === filter ? 'page' : undefined}
        >
          <span>
            {filterNames[one]}
            {one === 'waiting' && <span className={styles.long}> for you</span>}
          </span>
          <span className={styles.count}>{counts?.[one]}</span>
        </Link>
      ))}
    </nav>
  );
}
