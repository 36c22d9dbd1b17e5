import { useInfiniteQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { Link, useLocation } from 'wouter';
import { useAppContext } from '../session/app-context.tsx';
import styles from '../shell/connection-bar.module.css';
import { routes } from '../shell/routes.ts';
import { isNarrow } from '../ui/is-narrow.ts';
import { useStore } from '../ui/store.ts';
import { useInbox } from './inbox-context.tsx';
import { isListed } from './rows.ts';
import { useListing } from './use-listing.ts';

/** Leads to answers that were not sent, where no row on the screen does. */
export function UnsentBar() {
  const { unsent } = useAppContext();
  const { inbox } = useInbox();
  const all = useStore(unsent.all);
  const rows = useStore(inbox.rows);
  const { listing } = useListing();
  const [location] = useLocation();
  const [, open] = /^\/requests\/([^/?]+)/.exec(location) ?? [];
  const isListShown = location.startsWith(routes.inbox) && (open === undefined || !isNarrow());
  // Read by the list.
  const { isPending } = useInfiniteQuery({ ...inbox.listQuery(listing), enabled: isListShown });
  const hasRow = (id: string) =>
    isListShown && (isPending || rows.some((row) => row.requestId === id && isListed(row, listing)));
  const away = Object.keys(all).filter((id) => all[id] === 'unsent' && id !== open && !hasRow(id));
  const nameOf = (id: string) => rows.find((row) => row.requestId === id)?.refCode ?? 'look at it';
  return (
    <div role="status" className={away.length > 0 ? `${styles.bar} ${styles.strong}` : undefined}>
      {away.length > 0 && (
        <p>
          {away.length === 1
            ? 'Your answer was not sent: '
            : `${away.length} of your answers were not sent: `}
          {away.map((id, index) => (
            <Fragment key={id}>
              {index > 0 && ', '}
              <Link href={routes.request(id)}>{nameOf(id)}</Link>
            </Fragment>
          ))}
        </p>
      )}
    </div>
  );
}
