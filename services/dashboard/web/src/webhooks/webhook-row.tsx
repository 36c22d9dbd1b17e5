import { showHidden } from '@expert-relay/sdk/text';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ActionError } from '../calls/action-error.tsx';
import { Confirmation } from '../calls/confirmation.tsx';
import { sendTest } from '../deliveries/delivery-calls.ts';
import { DeliveryList } from '../deliveries/delivery-list.tsx';
import type { Webhook } from '../generated/api.ts';
import { Button } from '../ui/button.tsx';
import { PartButtons, useOpenPart } from '../ui/open-part.tsx';
import { Panel } from '../ui/panel.tsx';
import rows from '../ui/rows.module.css';
import { Time } from '../ui/time.tsx';
import { useAction } from '../ui/use-action.ts';
import { RotateWebhook } from './rotate-webhook.tsx';
import { changeWebhook, deleteWebhook, webhookPath } from './webhook-calls.ts';
import { WebhookForm } from './webhook-form.tsx';

type Part = 'deliveries' | 'change' | 'rotate' | 'delete';

const parts: readonly (readonly [Part, string])[] = [
  ['deliveries', 'Deliveries'],
  ['change', 'Change'],
  ['rotate', 'New secret'],
  ['delete', 'Delete'],
];

interface WebhookRowProps {
  readonly webhook: Webhook;
  readonly onDone: (text: string) => void;
  readonly onDeleted: () => void;
}

/** A webhook with its actions, and the open one below it. */
export function WebhookRow({ webhook, onDone, onDeleted }: WebhookRowProps) {
  const { id, url, enabled } = webhook;
  const queries = useQueryClient();
  const part = useOpenPart<Part>();
  const { open, close } = part;
  /** Each test opens a new list, which follows it. */
  const [tests, setTests] = useState(0);
  const path = webhookPath(id);
  const isReadable = webhook.offReason !== 'unreadable';
  const address = url === undefined ? 'A webhook without an address' : showHidden(url);

  const testing = useAction(async () => {
    await sendTest(path);
    onDone('A test is on its way.');
    setTests(tests + 1);
    part.show('deliveries');
  });
  const switching = useAction(async () => {
    await changeWebhook(queries, id, { enabled: !enabled });
    onDone(enabled ? 'It is off. Nothing is sent to it.' : 'It is on.');
  });

  return (
    <li className={rows.row}>
      <div className={rows.facts}>
        <code className={rows.name}>{address}</code>
        <WebhookState webhook={webhook} />
      </div>
      <div className={rows.quietActions}>
        {enabled && (
          <Button
            look="quiet"
            isBusy={testing.isBusy}
            aria-label={`Send a test: ${address}`}
            onClick={() => void testing.run()}
          >
            {testing.isBusy ? 'Sending…' : 'Send a test'}
          </Button>
        )}
        <PartButtons
          parts={parts.filter(([id]) => isReadable || id === 'deliveries' || id === 'delete')}
          rowName={address}
          state={part}
        />
        {isReadable && (
          <Button
            look="quiet"
            isBusy={switching.isBusy}
            aria-label={`${enabled ? 'Switch off' : 'Switch on'}: ${address}`}
            onClick={() => void switching.run()}
          >
            {enabled ? 'Switch off' : 'Switch on'}
          </Button>
        )}
      </div>
      <ActionError error={testing.error ?? switching.error} />
      {open === 'deliveries' && (
        <Panel isInner title="Deliveries of the last seven days">
          <DeliveryList key={tests} path={path} canResend={enabled} />
        </Panel>
      )}
      {open === 'change' && (
        <Panel isInner title="Change this webhook">
          <WebhookForm
            isOfKey={webhook.keyId !== undefined}
            webhook={webhook}
            submit={['Save', 'Saving…']}
            onSubmit={async (change) => {
              await changeWebhook(queries, id, change);
              onDone('Saved');
              close();
            }}
            onCancel={close}
          />
        </Panel>
      )}
      {open === 'rotate' && <RotateWebhook webhook={webhook} onClose={close} />}
      {open === 'delete' && (
        <Confirmation
          isInner
          title="Delete this webhook?"
          submit={['Delete the webhook', 'Deleting…']}
          onConfirm={async () => {
            await deleteWebhook(queries, id);
            onDeleted();
          }}
          onKeep={close}
        >
          Its address is not called any more, and its deliveries and its secret are deleted. This cannot be
          undone.
        </Confirmation>
      )}
    </li>
  );
}

function WebhookState({ webhook }: { webhook: Webhook }) {
  const { enabled, offReason, failingSince, createdAt } = webhook;
  return (
    <span className={rows.detail}>
      {enabled && !failingSince && <span className={rows.ok}>On</span>}
      {enabled && failingSince && (
        <span className={rows.bad}>
          Failing since <Time at={failingSince} details />: see its deliveries.
        </span>
      )}
      {!enabled && offReason === 'failing' && (
        <span className={rows.bad}>
          Switched off: nothing was accepted for five days. Repair the receiver, then switch it on.
        </span>
      )}
      {!enabled && offReason === 'gone' && (
        <span className={rows.bad}>Switched off: the receiver answered 410, which ends a webhook.</span>
      )}
      {offReason === 'unreadable' && (
        <span className={rows.bad}>
          Off: the relay cannot read its address and secret any more. Delete it, then add it again.
        </span>
      )}
      {!enabled && (offReason ?? 'owner') === 'owner' && <span>Off</span>}
      <span>
        made <Time at={createdAt} details />
      </span>
    </span>
  );
}
