import { showHidden } from '@expert-relay/sdk/safe';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { webhooksQuery } from '../endpoints/endpoint-calls.ts';
import { WebhookList } from '../endpoints/webhook-list.tsx';
import type { Key, Webhook } from '../generated/api.ts';
import { ActionError } from '../relay/action-error.tsx';
import { Confirmation } from '../relay/confirmation.tsx';
import { onEscape } from '../ui/escape.ts';
import { FormButtons } from '../ui/form-buttons.tsx';
import { Panel } from '../ui/panel.tsx';
import { PartButtons, useRowParts } from '../ui/row-parts.tsx';
import rows from '../ui/rows.module.css';
import { TextField } from '../ui/text-field.tsx';
import { Time } from '../ui/time.tsx';
import { useAction } from '../ui/use-action.ts';
import { useDone } from '../ui/use-done.ts';
import { renameKey, revokeKey } from './key-calls.ts';
import { RotateKey } from './rotate-key.tsx';

const kinds = { consumer: 'For an agent', provider: 'For a script' };
const prefixes = { consumer: 'hs_', provider: 'hs_prov_' };

type Part = 'webhooks' | 'rename' | 'rotate' | 'revoke';

const parts: readonly (readonly [Part, string])[] = [
  ['webhooks', 'Webhooks'],
  ['rename', 'Rename'],
  ['rotate', 'New secret'],
  ['revoke', 'Revoke'],
];

/** A key that is in use, with the action that is shown below it. */
export function KeyRow({ apiKey, onRevoked }: { apiKey: Key; onRevoked: () => void }) {
  const { name, kind, lastFour, createdAt, lastUsedAt } = apiKey;
  const part = useRowParts<Part>();
  const { shown, close } = part;
  const webhooks = useQuery(webhooksQuery).data;
  // The webhooks of a script's owner are in the settings. Some relays deliver none.
  const hasWebhooks = kind === 'consumer' && webhooks !== null;

  return (
    <li id={apiKey.id} className={rows.row}>
      <div className={rows.line}>
        <div className={rows.facts}>
          <span className={rows.name} dir="auto">
            {showHidden(name)}
          </span>
          <span className={rows.detail}>
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
            <WebhookCount webhooks={webhooks?.filter(({ keyId }) => keyId === apiKey.id) ?? []} />
          </span>
        </div>
        <div className={rows.quietActions}>
          <PartButtons
            parts={parts.filter(([id]) => id !== 'webhooks' || hasWebhooks)}
            rowName={name}
            state={part}
          />
        </div>
      </div>
      {shown === 'webhooks' && <KeyWebhooks apiKey={apiKey} />}
      {shown === 'rename' && <RenameKey apiKey={apiKey} onClose={close} />}
      {shown === 'rotate' && <RotateKey apiKey={apiKey} onClose={close} />}
      {shown === 'revoke' && <RevokeKey apiKey={apiKey} onClose={close} onRevoked={onRevoked} />}
    </li>
  );
}

function WebhookCount({ webhooks }: { webhooks: readonly Webhook[] }) {
  if (webhooks.length === 0) return null;
  const isBad = webhooks.some(
    ({ failingSince, offReason }) =>
      failingSince !== undefined || offReason === 'gone' || offReason === 'unreadable',
  );
  return (
    <span className={isBad ? rows.bad : undefined}>
      {webhooks.length === 1 ? '1 webhook' : `${webhooks.length} webhooks`}
      {isBad && ', failing'}
    </span>
  );
}

function KeyWebhooks({ apiKey }: { apiKey: Key }) {
  const [done, setDone] = useDone();
  return (
    <Panel title={`Webhooks of “${apiKey.name}”`}>
      <p>
        The relay calls an address of the agent when something happens to one of its requests, so that the
        agent need not wait. The call has ids and codes, no text of yours.
      </p>
      <p role="status" className={done ? rows.ok : 'visually-hidden'}>
        {done}
      </p>
      <WebhookList keyId={apiKey.id} onDone={setDone} />
    </Panel>
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
    <form className={rows.form} onSubmit={rename} onKeyDown={onEscape(onClose)}>
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
      <FormButtons submit={['Save', 'Saving…']} isBusy={renaming.isBusy} onCancel={onClose} />
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
  return (
    <Confirmation
      title={`Revoke “${apiKey.name}”?`}
      submit={['Revoke the key', 'Revoking…']}
      onConfirm={async () => {
        await revokeKey(queries, apiKey);
        onRevoked();
      }}
      onKeep={onClose}
    >
      {apiKey.kind === 'consumer'
        ? 'Its agents are refused within 5 seconds, and its webhooks are deleted. You keep the conversations.'
        : 'Scripts with this key are refused within 5 seconds. Your requests and what was said in them stay.'}{' '}
      This cannot be undone.
    </Confirmation>
  );
}
