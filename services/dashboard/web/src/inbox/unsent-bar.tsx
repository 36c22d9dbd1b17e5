import { useInfiniteQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { Link, useLocation } from 'wouter';
import styles from '../app/connection-bar.module.css';
import { routes } from '../app/routes.ts';
import { useAppContext } from '../app-context/app-context.tsx';
import { isNarrow } from '../ui/is-narrow.ts';
import { useStore } from '../ui/store.ts';
import { needsExpert } from '../unsent/unsent-answers.ts';
import { useFilter } from './filter-tabs.tsx';
import { useInbox } from './inbox-context.tsx';
import { filterOf } from './rows.ts';
import { useResume } from './use-resume.ts';

/** Leads to answers that were not sent and that the expert must decide about, where no row on the screen does. */
export function UnsentBar() {
  useResume();
  const { unsent } = useAppContext();
  const { inbox } = useInbox();
  const all = useStore(unsent.all);
  const rows = useStore(inbox.rows);
  const { filter } = useFilter();
  const [location] = useLocation();
  const [, open] = /^\/requests\/([^/?]+)/.exec(location) ?? [];
  const isListShown = location.startsWith(routes.inbox) && (open === undefined || !isNarrow());
  // Read by the list.
  const { isPending } = useInfiniteQuery({ ...inbox.listQuery({ filter }), enabled: isListShown });
  const hasRow = (id: string) =>
    isListShown && (isPending || rows.some((row) => row.requestId === id && filterOf(row) === filter));
  const away = Object.entries(all).filter(
    ([id, { state }]) => needsExpert(state) && id !== open && !hasRow(id),
  );
  return (
    <div role="status" className={away.length > 0 ? `${styles.bar} ${styles.strong}` : undefined}>
      {away.length > 0 && (
        <p>
          {away.length === 1
            ? 'Your answer was not sent: '
            : `${away.length} of your answers were not sent: `}
          {away.map(([id, { refCode }], index) => (
            <Fragment key={id}>
              {index > 0 && ', '}
              <Link href={routes.request(id)}>{refCode || 'look at it'}</Link>
            </Fragment>
          ))}
        </p>
      )}
    </div>
  );
}
