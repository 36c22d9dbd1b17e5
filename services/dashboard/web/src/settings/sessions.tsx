import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ActionError } from '../relay/action-error.tsx';
import { Confirmation } from '../relay/confirmation.tsx';
import { QueryView } from '../relay/query-view.tsx';
import { useAppContext } from '../session/app-context.tsx';
import { signOut } from '../session/sign-out.ts';
import { Button } from '../ui/button.tsx';
import rows from '../ui/rows.module.css';
import { Time } from '../ui/time.tsx';
import { useAction } from '../ui/use-action.ts';
import { useDone } from '../ui/use-done.ts';
import {
  endAllSessions,
  endOtherSessions,
  endSession,
  type Session,
  sessionsQuery,
  useProviderNames,
} from './account-calls.ts';
import { Section } from './section.tsx';

/** Where the user is signed in. */
export function Sessions() {
  const query = useQuery(sessionsQuery);
  const queries = useQueryClient();
  const [done, setDone] = useDone();
  const [isAsked, setIsAsked] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const keepOnly = (isKept: (session: Session) => boolean) =>
    queries.setQueryData(sessionsQuery.queryKey, (known) => known?.filter(isKept));
  const endingOthers = useAction(async () => {
    await endOtherSessions();
    keepOnly(({ current }) => current);
    setDone('All other sessions have ended.');
    opener.current?.focus();
  });

  return (
    <Section title="Where you are signed in" done={done}>
      <QueryView query={query} what="Your sessions" lines={['40%', '60%', '40%', '60%']}>
        {(sessions) => (
          <>
            <ul className={rows.list}>
              {sessions.map((session) => (
                <SessionRow
                  key={session.id}
                  session={session}
                  onEnded={() => {
                    keepOnly(({ id }) => id !== session.id);
                    setDone(`The session in ${session.device} has ended.`);
                    opener.current?.focus();
                  }}
                />
              ))}
            </ul>
            <div className={rows.actions}>
              {sessions.length > 1 && (
                <Button isBusy={endingOthers.isBusy} onClick={() => void endingOthers.run()}>
                  {endingOthers.isBusy ? 'Ending…' : 'End all others'}
                </Button>
              )}
              <Button ref={opener} aria-expanded={isAsked} onClick={() => setIsAsked(!isAsked)}>
                Sign out everywhere
              </Button>
            </div>
            <ActionError error={endingOthers.error} />
            {isAsked && (
              <SignOutEverywhere
                onCancel={() => {
                  setIsAsked(false);
                  opener.current?.focus();
                }}
              />
            )}
          </>
        )}
      </QueryView>
    </Section>
  );
}

function SessionRow({ session, onEnded }: { session: Session; onEnded: () => void }) {
  const { id, device, provider, createdAt, lastUsedAt, current } = session;
  const nameProvider = useProviderNames();
  const ending = useAction(async () => {
    await endSession(id);
    onEnded();
  });
  return (
    <li className={rows.row}>
      <div className={rows.line}>
        <div className={rows.facts}>
          <span className={rows.name}>
            {device}
            {current && <span className={rows.label}>this browser</span>}
          </span>
          <span className={rows.detail}>
            {!current && (
              <span>
                used <Time at={lastUsedAt} details />
              </span>
            )}
            <span>
              since <Time at={createdAt} details />
            </span>
            <span>{nameProvider(provider)}</span>
          </span>
        </div>
        {!current && (
          <Button
            look="quiet"
            isBusy={ending.isBusy}
            aria-label={`End the session in ${device}`}
            onClick={() => void ending.run()}
          >
            {ending.isBusy ? 'Ending…' : 'End'}
          </Button>
        )}
      </div>
      <ActionError error={ending.error} />
    </li>
  );
}

function SignOutEverywhere({ onCancel }: { onCancel: () => void }) {
  const context = useAppContext();
  return (
    <Confirmation
      title="Sign out everywhere?"
      submit={['Sign out everywhere', 'Signing out…']}
      onConfirm={async () => {
        await endAllSessions();
        await signOut(context);
      }}
      keep="Cancel"
      onKeep={onCancel}
    >
      Every session ends, this one too. Your key and your drafts are removed from this browser. Other browsers
      keep theirs for your next sign-in, and lose them when somebody else signs in there.
    </Confirmation>
  );
}
