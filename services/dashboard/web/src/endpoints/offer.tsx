import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { ActionError } from '../relay/action-error.tsx';
import { routes } from '../shell/routes.ts';
import { Button } from '../ui/button.tsx';
import { useAction } from '../ui/use-action.ts';
import { readNotifications } from './endpoint-calls.ts';
import styles from './offer.module.css';
import { findObstacle, switchOn } from './switch-on.ts';

/** How long the outcome is shown. */
const doneShownMs = 6_000;

/** One line that offers to switch notifications on in this browser. */
export function NotificationOffer({ onAnswered }: { onAnswered: () => void }) {
  const [outcome, setOutcome] = useState<'on' | 'on while open' | 'refused'>();
  const isRefused = outcome === 'refused';
  const isOn = outcome !== undefined && !isRefused;
  const switching = useAction(async () => {
    const { kind } = await switchOn(async () => (await readNotifications())?.pushKey);
    if (kind === 'push') setOutcome('on');
    else setOutcome(kind === 'open-page' || kind === 'no-push-service' ? 'on while open' : 'refused');
  });
  useEffect(() => {
    if (!isOn) return;
    const timer = setTimeout(onAnswered, doneShownMs);
    return () => clearTimeout(timer);
  }, [isOn, onAnswered]);
  if (findObstacle() === 'unsupported') return null;
  return (
    <section className={styles.offer} aria-label="Notifications">
      <p className={styles.text} role="status">
        {isOn ? (
          `Notifications are on${outcome === 'on' ? '' : ' while Expert Relay is open'}.`
        ) : isRefused ? (
          <>
            This browser does not allow notifications here. <Link href={routes.settings}>Settings</Link> has
            what to do.
          </>
        ) : (
          'Get notifications here?'
        )}
      </p>
      <div className={styles.actions}>
        {!outcome && (
          <Button look="quiet" isBusy={switching.isBusy} onClick={() => void switching.run()}>
            {switching.isBusy ? 'Switching on…' : 'Switch on'}
          </Button>
        )}
        <Button look="quiet" onClick={onAnswered}>
          {outcome ? 'Close' : 'Not now'}
        </Button>
      </div>
      <ActionError error={switching.error} />
    </section>
  );
}
