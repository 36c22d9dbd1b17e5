import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ActionError } from '../session/action-error.tsx';
import { Confirmation } from '../session/confirmation.tsx';
import { QueryView } from '../session/query-view.tsx';
import { Button } from '../ui/button.tsx';
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
  useProviderNames,
} from './account-calls.ts';
import { Section } from './section.tsx';

/** The accounts with which the user signs in. */
export function Accounts() {
  const query = useQuery(identitiesQuery);
  const nameProvider = useProviderNames();
  const [done, setDone] = useDone();
  return (
    <Section title="Ways to sign in" about="Each of them opens the same requests and keys." done={done}>
      <QueryView query={query} what="Your ways to sign in" lines={['50%', '30%']}>
        {({ identities, providers }) => (
          <>
            <ul className={rows.list}>
              {identities.map((identity) => (
                <AccountRow
                  key={identity.provider}
                  identity={identity}
                  isOnly={identities.length === 1}
                  onRemoved={() => setDone(`${nameProvider(identity.provider)} is removed.`)}
                />
              ))}
            </ul>
            <AddAccount
              providers={providers.filter((name) => !identities.some(({ provider }) => provider === name))}
            />
          </>
        )}
      </QueryView>
    </Section>
  );
}

function AddAccount({ providers }: { providers: readonly string[] }) {
  const [chosen, setChosen] = useState<string>();
  const adding = useAction(addIdentity);
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
  readonly onRemoved: () => void;
}

function AccountRow({ identity, isOnly, onRemoved }: AccountRowProps) {
  const { provider, label, createdAt } = identity;
  const queries = useQueryClient();
  const [isAsked, setIsAsked] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const name = useProviderNames()(provider);
  const sessions = useQuery(sessionsQuery).data ?? [];
  const isOwn = sessions.some((session) => session.current && session.provider === provider);
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
          onConfirm={remove}
          onKeep={() => {
            setIsAsked(false);
            opener.current?.focus();
          }}
        >
          You can no longer sign in with it, and every session that was started with it ends
          {isOwn ? ': this one too, so you sign in again in another way.' : '.'}
        </Confirmation>
      )}
    </li>
  );
}
