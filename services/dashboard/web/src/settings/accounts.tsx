import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ActionError } from '../relay/action-error.tsx';
import { CallError } from '../relay/call.ts';
import { Confirmation } from '../relay/confirmation.tsx';
import { QueryView } from '../relay/query-view.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import rows from '../ui/rows.module.css';
import { Time } from '../ui/time.tsx';
import { useAction } from '../ui/use-action.ts';
import { useDone } from '../ui/use-done.ts';
import {
  addIdentity,
  type Identity,
  identitiesQuery,
  removeIdentity,
  sessionsQuery,
  signInAgain,
  useProviderNames,
} from './account-calls.ts';
import { Section } from './section.tsx';

/** The accounts with which the user signs in. */
export function Accounts() {
  const query = useQuery(identitiesQuery);
  const nameProvider = useProviderNames();
  const [done, setDone] = useDone();
  const [isTooOld, setIsTooOld] = useState(false);
  const onError = (error: unknown) => {
    if (!(error instanceof CallError && error.code === 'sign_in_again')) throw error;
    setIsTooOld(true);
  };
  return (
    <Section title="Ways to sign in" about="Each opens the same requests and keys." done={done}>
      <QueryView query={query} what="Your ways to sign in" lines={['50%', '30%']}>
        {({ identities, providers }) => (
          <>
            <ul className={rows.list}>
              {identities.map((identity) => (
                <AccountRow
                  key={identity.provider}
                  identity={identity}
                  isOnly={identities.length === 1}
                  onError={onError}
                  onRemoved={() => setDone(`${nameProvider(identity.provider)} is removed.`)}
                />
              ))}
            </ul>
            <AddAccount
              providers={providers.filter((name) => !identities.some(({ provider }) => provider === name))}
              onError={onError}
            />
            {isTooOld && (
              <SignInAgain
                providers={providers.filter((name) => identities.some(({ provider }) => provider === name))}
              />
            )}
          </>
        )}
      </QueryView>
    </Section>
  );
}

/** `providers` has those of the user's accounts with which the user can sign in. */
function SignInAgain({ providers }: { providers: readonly string[] }) {
  const sessions = useQuery(sessionsQuery).data ?? [];
  const own = sessions.find(({ current }) => current)?.provider;
  const provider = providers.find((name) => name === own) ?? providers[0];
  const signingIn = useAction(signInAgain);
  return (
    <>
      <Notice
        kind="warning"
        actions={
          provider !== undefined && (
            <Button isBusy={signingIn.isBusy} onClick={() => void signingIn.run(provider)}>
              Sign in again
            </Button>
          )
        }
      >
        <p>
          Adding and removing accounts needs a recent sign-in.
          {provider === undefined && ' Sign out, then sign in again.'}
        </p>
      </Notice>
      <ActionError error={signingIn.error} />
    </>
  );
}

interface AddAccountProps {
  readonly providers: readonly string[];
  readonly onError: (error: unknown) => void;
}

function AddAccount({ providers, onError }: AddAccountProps) {
  const [chosen, setChosen] = useState<string>();
  const adding = useAction((provider: string) => addIdentity(provider).catch(onError));
  const nameProvider = useProviderNames();
  if (providers.length === 0) return null;
  return (
    <>
      <div className={rows.actions}>
        {providers.map((provider) => (
          <Button
            key={provider}
            isBusy={adding.isBusy && chosen === provider}
            onClick={() => {
              setChosen(provider);
              void adding.run(provider);
            }}
          >
            Add {nameProvider(provider)}
          </Button>
        ))}
      </div>
      <ActionError error={adding.error} />
    </>
  );
}

interface AccountRowProps {
  readonly identity: Identity;
  readonly isOnly: boolean;
  readonly onError: (error: unknown) => void;
  readonly onRemoved: () => void;
}

function AccountRow({ identity, isOnly, onError, onRemoved }: AccountRowProps) {
  const { provider, label, createdAt } = identity;
  const queries = useQueryClient();
  const [isAsked, setIsAsked] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const name = useProviderNames()(provider);
  const sessions = useQuery(sessionsQuery).data ?? [];
  const isOwn = sessions.some((session) => session.current && session.provider === provider);
  const close = () => {
    setIsAsked(false);
    opener.current?.focus();
  };
  async function remove(): Promise<void> {
    await removeIdentity(provider);
    // This session has ended too: without it, the address leads to the sign-in page.
    if (isOwn) return location.reload();
    queries.setQueryData(
      identitiesQuery.queryKey,
      (known) =>
        known && { ...known, identities: known.identities.filter((other) => other.provider !== provider) },
    );
    onRemoved();
    await queries.invalidateQueries(sessionsQuery);
  }
  return (
    <li className={rows.row}>
      <div className={rows.line}>
        <div className={rows.facts}>
          <span className={rows.name}>
            {name}
            {label && (
              <span dir="auto" className={rows.label}>
                {label}
              </span>
            )}
          </span>
          <span className={rows.detail}>
            <span>
              added <Time at={createdAt} details />
            </span>
          </span>
        </div>
        {!isOnly && (
          <Button
            ref={opener}
            look="quiet"
            aria-label={`Remove ${name}`}
            aria-expanded={isAsked}
            onClick={() => setIsAsked(!isAsked)}
          >
            Remove
          </Button>
        )}
      </div>
      {isAsked && (
        <Confirmation
          title={`Remove ${name}?`}
          submit={[`Remove ${name}`, 'Removing…']}
          onConfirm={() =>
            remove().catch((error) => {
              onError(error);
              close();
            })
          }
          onKeep={close}
        >
          You can no longer sign in with it, and every session that was started with it ends
          {isOwn ? ': this one too, so you sign in again in another way.' : '.'}
        </Confirmation>
      )}
    </li>
  );
}
