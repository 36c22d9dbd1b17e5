import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { QueryView } from '../calls/query-view.tsx';
import { Button } from '../ui/button.tsx';
import { Panel } from '../ui/panel.tsx';
import rows from '../ui/rows.module.css';
import { useOpener } from '../ui/use-opener.ts';
import { makeWebhook, webhooksQuery } from './webhook-calls.ts';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookRow } from './webhook-row.tsx';
import { WebhookSecret } from './webhook-secret.tsx';

/** A consumer key can have so many webhooks; a user has room for more. */
const maxOfKey = 3;

interface WebhookListProps {
  /** Of an agent's key; undefined: the webhooks of the user. */
  readonly keyId?: string;
  readonly onDone: (text: string) => void;
}

/** The webhooks of a key or of the user, and a form for a new one. */
export function WebhookList({ keyId, onDone }: WebhookListProps) {
  const query = useQuery(webhooksQuery);
  const queries = useQueryClient();
  const maker = useOpener();
  // The secret exists only in this state, and is gone when the panel closes.
  const [secret, setSecret] = useState<string>();

  function close() {
    maker.close();
    setSecret(undefined);
  }

  return (
    <QueryView query={query} what="The webhooks" lines={['60%', '40%']}>
      {(all) => {
        const own = (all ?? []).filter((webhook) => webhook.keyId === keyId);
        return (
          <>
            {own.length > 0 && (
              <ul className={rows.list} aria-label="Webhooks">
                {own.map((webhook) => (
                  <WebhookRow
                    key={webhook.id}
                    webhook={webhook}
                    onDone={onDone}
                    onDeleted={() => {
                      onDone('The webhook is deleted.');
                      setTimeout(() => maker.button.current?.focus());
                    }}
                  />
                ))}
              </ul>
            )}
            {secret ? (
              <WebhookSecret title="The secret of the new webhook" secret={secret} onClose={close} />
            ) : maker.isOpen ? (
              <Panel isInner title="Add a webhook">
                <WebhookForm
                  isOfKey={keyId !== undefined}
                  submit={['Add the webhook', 'Adding…']}
                  onSubmit={async (values) =>
                    setSecret(await makeWebhook(queries, { ...values, ...(keyId && { keyId }) }))
                  }
                  onCancel={close}
                />
              </Panel>
            ) : (
              (keyId === undefined || own.length < maxOfKey) && (
                <div>
                  <Button ref={maker.button} onClick={maker.open}>
                    Add a webhook
                  </Button>
                </div>
              )
            )}
          </>
        );
      }}
    </QueryView>
  );
}
