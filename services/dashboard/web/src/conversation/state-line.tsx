import { showHidden } from '@expert-relay/sdk/safe';
import { Time } from '../ui/time.tsx';
import { Written } from '../ui/written.tsx';
import styles from './exchange.module.css';
import type { StateLine as Line } from './group-messages.ts';

/** What happened to the request, in one quiet line. */
export const StateLine = ({ line: { text, at, reason } }: { line: Line }) => (
  <p className={styles.line}>
    {text}
    {at && (
      <>
        {' '}
        <Time at={at} look="clock" details />
      </>
    )}
    {reason && (
      <>
        :{' '}
        <q dir="auto">
          <Written text={showHidden(reason)} />
        </q>
      </>
    )}
  </p>
);
