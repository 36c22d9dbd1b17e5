import { Link } from 'wouter';
import { routes } from '../app/routes.ts';
import styles from './filter-tabs.module.css';
import { useCounts } from './inbox-context.tsx';
import { type Filter, filters } from './rows.ts';

const names: Record<Filter, string> = { waiting: 'Waiting for you', answered: 'Answered', ended: 'Ended' };

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
          {names[one]} <span className={styles.count}>{counts?.[one]}</span>
        </Link>
      ))}
    </nav>
  );
}
