import { showHidden } from '@expert-relay/sdk/safe';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Key } from '../generated/api.ts';
import { QueryView } from '../relay/query-view.tsx';
import { Page } from '../shell/page.tsx';
import { Button } from '../ui/button.tsx';
import rows from '../ui/rows.module.css';
import { Time } from '../ui/time.tsx';
import { keysQuery } from './key-calls.ts';
import { KeyRow } from './key-row.tsx';
import styles from './keys.module.css';
import { MakeKey } from './make-key.tsx';

/** The API keys that agents and scripts use. */
export function KeysPage() {
  const keys = useQuery(keysQuery);
  const [isMaking, setIsMaking] = useState(false);
  const [done, setDone] = useState('');
  const opener = useRef<HTMLButtonElement>(null);
  const wasMaking = useRef(false);
  useEffect(() => {
    if (wasMaking.current && !isMaking) opener.current?.focus();
    wasMaking.current = isMaking;
  }, [isMaking]);

  return (
    <Page title="Agent keys">
      <div className={styles.top}>
        <p className={styles.about}>
          An agent needs a key to ask you. Give each agent a key of its own, so that you can revoke one
          without the others.
        </p>
        <Button
          ref={opener}
          look="main"
          className={isMaking ? styles.away : undefined}
          onClick={() => {
            setDone('');
            setIsMaking(true);
          }}
        >
          Make a key
        </Button>
      </div>
      {isMaking && <MakeKey onClose={() => setIsMaking(false)} />}
      <p role="status" className={done ? rows.ok : 'visually-hidden'}>
        {done}
      </p>
      <QueryView query={keys} what="Your keys" lines={['30%', '55%', '30%', '55%', '30%', '55%']}>
        {(all) => (
          <KeyList
            keys={all}
            isMaking={isMaking}
            onRevoked={({ name }) => {
              setDone(`The key “${name}” is revoked.`);
              opener.current?.focus();
            }}
          />
        )}
      </QueryView>
    </Page>
  );
}

interface KeyListProps {
  readonly keys: readonly Key[];
  readonly isMaking: boolean;
  readonly onRevoked: (key: Key) => void;
}

function KeyList({ keys, isMaking, onRevoked }: KeyListProps) {
  useEffect(() => {
    // The address may name a key: see `routes.key`.
    const row = document.getElementById(location.hash.slice(1));
    if (!row) return;
    row.closest('details')?.setAttribute('open', '');
    row.tabIndex = -1;
    row.focus();
  }, []);
  const active = keys.filter(({ revokedAt }) => revokedAt === null);
  const revoked = keys.filter(({ revokedAt }) => revokedAt !== null);
  return (
    <>
      {active.length === 0 ? (
        !isMaking && (
          <p className={rows.quiet}>You have no keys. Make one for the first agent that asks you.</p>
        )
      ) : (
        <ul className={rows.list} aria-label="Keys in use">
          {active.map((key) => (
            <KeyRow key={key.id} apiKey={key} onRevoked={() => onRevoked(key)} />
          ))}
        </ul>
      )}
      {revoked.length > 0 && (
        <details>
          <summary className={styles.summary}>Revoked keys ({revoked.length})</summary>
          <ul className={rows.list}>
            {revoked.map(({ id, name, lastFour, revokedAt }) => (
              <li key={id} id={id} className={rows.row}>
                <div className={rows.facts}>
                  <span className={rows.name} dir="auto">
                    {showHidden(name)}
                  </span>
                  <span className={rows.detail}>
                    <code>…{lastFour}</code>
                    {revokedAt && (
                      <span>
                        revoked <Time at={revokedAt} details />
                      </span>
                    )}
                  </span>
                </div>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
