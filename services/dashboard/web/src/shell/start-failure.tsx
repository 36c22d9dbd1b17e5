import { useEffect, useRef, useState } from 'react';
import { CallError } from '../relay/call.ts';
import { type Connection, connection } from '../relay/connection.ts';
import { signInAgain } from '../session/me.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { useStore } from '../ui/store.ts';
import { describeLimit } from './connection-bar.tsx';
import { StartPage } from './page.tsx';

const reloadedAt = 'expert-relay:signed-in-again-at';

const reloadIntervalMs = 30_000;

/** A session whose user was deleted must not reload the page in a loop. */
function mayReload(): boolean {
  const last = Number(sessionStorage.getItem(reloadedAt) ?? 0);
  sessionStorage.setItem(reloadedAt, String(Date.now()));
  return Date.now() - last > reloadIntervalMs;
}

/** Shown when the page cannot read who is signed in. */
export function StartFailure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const isSignedOut = error instanceof CallError && error.status === 401;
  const [isLeaving] = useState(() => isSignedOut && mayReload());
  useEffect(() => {
    if (isLeaving) signInAgain();
  }, [isLeaving]);
  const state = useStore(connection);
  const isAway = state.kind !== 'online' && state.kind !== 'signed-out';
  const wasAway = useRef(false);
  useEffect(() => {
    if (wasAway.current && !isAway) onRetry();
    wasAway.current = isAway;
  }, [isAway, onRetry]);
  if (isLeaving) return null;
  return (
    <StartPage>
      <Notice
        kind="danger"
        title="Expert Relay cannot be opened right now."
        actions={
          // Too many calls: none is made before.
          state.kind !== 'limited' && (
            <Button look="main" onClick={onRetry}>
              Try again
            </Button>
          )
        }
      >
        <p>{describe(state, error)}</p>
      </Notice>
    </StartPage>
  );
}

function describe(state: Connection, error: unknown): string {
  if (state.kind === 'limited') return describeLimit(state.until);
  if (state.kind === 'offline') return 'You are offline. This page retries automatically.';
  if (state.kind === 'unreachable') return 'The relay cannot be reached. This page retries automatically.';
  if (error instanceof CallError) return error.message;
  return 'This browser may be too old for this page. Update it, or open the page in another one.';
}
