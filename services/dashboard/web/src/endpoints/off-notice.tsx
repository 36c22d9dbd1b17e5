import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { useAppContext } from '../session/app-context.tsx';
import { routes } from '../shell/routes.ts';
import { Button } from '../ui/button.tsx';
import { isRenewed, notificationsQuery, webhooksQuery } from './endpoint-calls.ts';
import styles from './offer.module.css';

const staleTime = 5 * 60_000;
/** By then the tabs have chosen their leader. */
const leaderDelayMs = 2_000;

/** Stored when the expert has closed the notice: which endpoints it was about. */
const name = 'off-notice-closed';

/** One line about channels and webhooks that the relay has switched off. */
export function OffNotice() {
  const { storage, live } = useAppContext();
  // One tab reads them.
  const [enabled, setEnabled] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setEnabled(live.tabs.isLeading.get()), leaderDelayMs);
    return () => clearTimeout(timer);
  }, [live]);
  const channels = useQuery({ ...notificationsQuery, staleTime, enabled }).data?.channels ?? [];
  const webhooks = useQuery({ ...webhooksQuery, staleTime, enabled }).data ?? [];
  const [closed, setClosed] = useState<string>();
  useEffect(() => {
    void storage.get(name).then((value) => setClosed(value ?? ''));
  }, [storage]);

  const off = [...channels.filter((channel) => !isRenewed(channel)), ...webhooks].filter(
    ({ enabled, offReason }) => !enabled && (offReason === 'failing' || offReason === 'gone'),
  );
  const about = off.map(({ id, failingSince = '' }) => `${id} ${failingSince}`).join();
  if (closed === undefined || off.length === 0 || closed === about) return null;
  const isOfAgent = off.every((endpoint) => 'keyId' in endpoint);
  return (
    <section className={styles.offer} aria-label="Switched off">
      <p className={styles.text}>
        {off.length === 1 ? 'A channel or webhook was' : `${off.length} channels or webhooks were`} switched
        off, because nothing could be delivered: see{' '}
        {isOfAgent ? (
          <Link href={routes.keys}>Agent keys</Link>
        ) : (
          <Link href={routes.settings}>Settings</Link>
        )}
        .
      </p>
      <div className={styles.actions}>
        <Button
          look="quiet"
          onClick={() => {
            setClosed(about);
            void storage.set(name, about).catch(() => {});
          }}
        >
          Close
        </Button>
      </div>
    </section>
  );
}
