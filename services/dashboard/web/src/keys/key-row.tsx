import { showHidden } from '@expert-relay/sdk/text';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { ActionError } from '../session/action-error.tsx';
import { Button, CancelButton } from '../ui/button.tsx';
import { Panel } from '../ui/panel.tsx';
import { TextField } from '../ui/text-field.tsx';
import { Time } from '../ui/time.tsx';
import { useAction } from '../ui/use-action.ts';
import { type Key, renameKey, revokeKey } from './key-calls.ts';
import styles from './keys.module.css';
import { RotateKey } from './rotate-key.tsx';

const kinds = { consumer: 'For an agent', provider: 'For a script' };
const prefixes = { consumer: 'hs_', provider: 'hs_prov_' };

type Part = 'rename' | 'rotate' | 'revoke';

const actions: readonly (readonly [Part, string])[] = [
  ['rename', 'Rename'],
  ['rotate', 'New secret'],
  ['revoke', 'Revoke'],
];

/** A key that is in use, with the open action below it. */
export function KeyRow({ apiKey, onRevoked }: { apiKey: Key; onRevoked: () => void }) {
  const { name, kind, lastFour, createdAt, lastUsedAt } = apiKey;
  const [open, setOpen] = useState<Part>();
  const opener = useRef<HTMLButtonElement>(null);

  function close() {
    setOpen(undefined);
    opener.current?.focus();
  }

  return (
    <li className={styles.row}>
      <div className={styles.line}>
        <div className={styles.facts}>
          <span className={styles.name} dir="auto">
            {showHidden(name)}
          </span>
          <span className={styles.detail}>
            <span>{kinds[kind]}</span>
            <code>
              {prefixes[kind]}…{lastFour}
            </code>
            <span>
              {lastUsedAt ? (
                <>
                  used <Time at={lastUsedAt} details />
                </>
              ) : (
                'never used'
              )}
            </span>
            <span>
              made <Time at={createdAt} details />
            </span>
          </span>
        </div>
        <div className={styles.actions}>
          {actions.map(([part, label]) => (
            <Button
              key={part}
              look="quiet"
              aria-label={`${label}: ${name}`}
              aria-expanded={open === part}
              onClick={({ currentTarget }) => {
                opener.current = currentTarget;
                setOpen(open === part ? undefined : part);
              }}
            >
              {label}
            </Button>
          ))}
        </div>
      </div>
      {open === 'rename' && <RenameKey apiKey={apiKey} onClose={close} />}
      {open === 'rotate' && <RotateKey apiKey={apiKey} onClose={close} />}
      {open === 'revoke' && <RevokeKey apiKey={apiKey} onClose={close} onRevoked={onRevoked} />}
    </li>
  );
}

function RenameKey({ apiKey, onClose }: { apiKey: Key; onClose: () => void }) {
  const queries = useQueryClient();
  const [name, setName] = useState(apiKey.name);
  const renaming = useAction(async () => {
    if (name.trim() !== '' && name.trim() !== apiKey.name) await renameKey(queries, apiKey.id, name.trim());
    onClose();
  });
  function rename(event: FormEvent) {
    event.preventDefault();
    void renaming.run();
  }
  return (
    <form
      className={styles.rename}
      onSubmit={rename}
      onKeyDown={({ key }) => {
        if (key === 'Escape') onClose();
      }}
    >
      <TextField
        label="New name"
        autoFocus
        maxLength={100}
        dir="auto"
        value={name}
        onChange={({ target }) => setName(target.value)}
        onFocus={({ target }) => target.select()}
        autoComplete="off"
      />
      <div className={styles.actions}>
        <Button look="main" type="submit" isBusy={renaming.isBusy}>
          {renaming.isBusy ? 'Saving…' : 'Save'}
        </Button>
        <CancelButton onCancel={onClose} />
      </div>
      <ActionError error={renaming.error} />
    </form>
  );
}

function RevokeKey({
  apiKey,
  onClose,
  onRevoked,
}: {
  apiKey: Key;
  onClose: () => void;
  onRevoked: () => void;
}) {
  const queries = useQueryClient();
  const revoking = useAction(async () => {
    await revokeKey(queries, apiKey);
    onRevoked();
  });
  return (
    <Panel title={`Revoke “${apiKey.name}”?`}>
      <p>
        {apiKey.kind === 'consumer'
          ? 'Agents with this key are refused within 5 seconds, and cannot read your answers any more. Their open conversations stay readable to you.'
          : 'Scripts with this key are refused within 5 seconds. Your requests and what was said in them stay.'}{' '}
        This cannot be undone.
      </p>
      <div className={styles.actions}>
        <Button look="danger" isBusy={revoking.isBusy} onClick={() => void revoking.run()}>
          {revoking.isBusy ? 'Revoking…' : 'Revoke the key'}
        </Button>
        <Button look="quiet" onClick={onClose}>
          Keep it
        </Button>
      </div>
      <ActionError error={revoking.error} />
    </Panel>
  );
}
