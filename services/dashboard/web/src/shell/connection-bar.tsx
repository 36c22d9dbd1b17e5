import { connection, streamIsOpen } from '../relay/connection.ts';
import { signInAgain } from '../session/me.ts';
import { Button } from '../ui/button.tsx';
import { locale } from '../ui/locale.ts';
import { useStore } from '../ui/store.ts';
import styles from './connection-bar.module.css';

const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });

export const describeLimit = (until: number): string =>
  `Too many calls. This page continues at ${clock.format(until)}.`;

/** A line at the top of the page while there is a problem with the connection to the relay. */
export function ConnectionBar({ isStillSignedIn }: { isStillSignedIn: boolean }) {
  const state = useStore(connection);
  const isStreamOpen = useStore(streamIsOpen);
  if (state.kind === 'signed-out') {
    return (
      <div className={`${styles.bar} ${styles.strong}`} role="alert">
        <span>You were signed out. What you typed is kept.</span>
        <Button look="main" onClick={signInAgain}>
          Sign in again
        </Button>
      </div>
    );
  }
  const text = describe();
  return (
    <>
      {isStillSignedIn && (
        <div className={`${styles.bar} ${styles.strong}`} role="alert">
          You are still signed in: the relay did not end the session. Try again.
        </div>
      )}
      <div role="status" className={text ? styles.bar : undefined}>
        {text}
      </div>
    </>
  );

  function describe(): string | undefined {
    if (state.kind === 'offline') return 'Offline. New requests will appear when you are back.';
    if (state.kind === 'limited') return describeLimit(state.until);
    if (state.kind === 'unreachable' || isStreamOpen === false) return 'Reconnecting…';
    return undefined;
  }
}
