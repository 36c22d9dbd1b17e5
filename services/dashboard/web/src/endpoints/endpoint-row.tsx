import { showHidden } from '@expert-relay/sdk/safe';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ActionError } from '../relay/action-error.tsx';
import { Confirmation } from '../relay/confirmation.tsx';
import { RotateSecret } from '../relay/rotate-secret.tsx';
import { Button } from '../ui/button.tsx';
import type { Choice } from '../ui/choices.tsx';
import { Panel } from '../ui/panel.tsx';
import { PartButtons, useRowParts } from '../ui/row-parts.tsx';
import rows from '../ui/rows.module.css';
import { useAction } from '../ui/use-action.ts';
import { DeliveryList } from './delivery-list.tsx';
import {
  changeEndpoint,
  type Endpoint,
  type EndpointSettings,
  isWebhook,
  kindOf,
  pathOf,
  removeEndpoint,
  rotateWebhook,
  sendConfirmation,
  sendTest,
  switchEndpoint,
} from './endpoint-calls.ts';
import { EndpointForm, eventsOfKey, eventsOfUser } from './endpoint-form.tsx';
import { EndpointState } from './endpoint-state.tsx';
import { unsubscribe } from './push.ts';
import { WebhookSecret } from './webhook-secret.tsx';

type Part = 'deliveries' | 'change' | 'rotate' | 'remove';

const parts: readonly (readonly [Part, string])[] = [
  ['deliveries', 'Deliveries'],
  ['change', 'Change'],
  ['rotate', 'New secret'],
  ['remove', 'Remove'],
];

const kinds = { push: 'Browser', email: 'Email', chat: 'Chat', webhook: 'Webhook' };

const graces: readonly Choice<string>[] = [
  { value: '86400', label: 'Both sign for 1 day', hint: 'The receiver can be changed in that time.' },
  { value: '3600', label: 'Both sign for 1 hour' },
  { value: '0', label: 'It stops now', hint: 'For a secret that others may have seen.' },
];

interface EndpointRowProps {
  readonly endpoint: Endpoint;
  readonly isThisBrowser: boolean;
  readonly onDone: (text: string) => void;
  readonly onRemoved: () => void;
}

/** An endpoint with its actions, and the one that is shown below it. */
export function EndpointRow({ endpoint, isThisBrowser, onDone, onRemoved }: EndpointRowProps) {
  const { id, enabled } = endpoint;
  const webhook = isWebhook(endpoint) ? endpoint : undefined;
  const kind = kindOf(endpoint);
  const isConfirmed = isWebhook(endpoint) || endpoint.confirmed;
  const isReadable = endpoint.offReason !== 'unreadable';
  const queries = useQueryClient();
  const part = useRowParts<Part>();
  const { shown, close } = part;
  /** Each test opens a new list, which follows it. */
  const [tests, setTests] = useState(0);
  const name = nameOf(endpoint, isThisBrowser);

  const testing = useAction(async () => {
    await sendTest(endpoint);
    onDone('A test is on its way.');
    setTests(tests + 1);
    part.show('deliveries');
  });
  const confirming = useAction(async () => {
    await sendConfirmation(id);
    onDone('We sent you another email.');
  });
  const switching = useAction(async () => {
    await switchEndpoint(queries, endpoint, !enabled);
    onDone(enabled ? 'It is off.' : 'It is on.');
  });

  const action = (label: string, { isBusy, run }: ReturnType<typeof useAction<[]>>) => (
    <Button look="quiet" isBusy={isBusy} aria-label={`${label}: ${name}`} onClick={() => void run()}>
      {label}
    </Button>
  );
  const isOffered = ([id]: readonly [Part, string]) =>
    (isReadable || (id !== 'change' && id !== 'rotate')) && (webhook || id !== 'rotate');

  return (
    <li className={rows.row}>
      <div className={rows.facts}>
        <span className={rows.name}>
          {webhook ? <code>{name}</code> : <bdi>{name}</bdi>}
          {!isThisBrowser && !webhook && <span className={rows.label}>{kinds[kind]}</span>}
          {kind === 'chat' && 'label' in endpoint && endpoint.label && (
            <bdi className={rows.label}>{endpoint.address}</bdi>
          )}
        </span>
        <EndpointState endpoint={endpoint} />
      </div>
      <div className={rows.quietActions}>
        {!isConfirmed && isReadable && action('Send the email again', confirming)}
        {isConfirmed && enabled && action('Send a test', testing)}
        <PartButtons parts={parts.filter(isOffered)} rowName={name} state={part} />
        {isConfirmed && isReadable && action(enabled ? 'Switch off' : 'Switch on', switching)}
      </div>
      <ActionError error={testing.error ?? confirming.error ?? switching.error} />
      {shown === 'deliveries' && (
        <Panel isInner title="Deliveries of the last seven days">
          <DeliveryList key={tests} path={pathOf(endpoint)} canResend={webhook !== undefined && enabled} />
        </Panel>
      )}
      {shown === 'change' && (
        <Panel isInner title={`Change “${name}”`}>
          <EndpointForm
            kind={kind}
            events={webhook?.keyId ? eventsOfKey : eventsOfUser}
            settings={settingsOf(endpoint)}
            onSubmit={async (settings) => {
              await changeEndpoint(queries, endpoint, settings);
              onDone('Saved');
              close();
            }}
            onCancel={close}
          />
        </Panel>
      )}
      {shown === 'rotate' && webhook && (
        <RotateSecret
          isInner
          title="A new secret for this webhook"
          graces={graces}
          rotate={(graceSeconds) => rotateWebhook(queries, webhook, graceSeconds)}
          onCancel={close}
        >
          {(secret) => (
            <WebhookSecret isInner title="The new secret of this webhook" secret={secret} onClose={close} />
          )}
        </RotateSecret>
      )}
      {shown === 'remove' && (
        <Confirmation
          isInner
          title={`Remove “${name}”?`}
          submit={['Remove it', 'Removing…']}
          onConfirm={async () => {
            await removeEndpoint(queries, endpoint);
            if (isThisBrowser) await unsubscribe();
            onRemoved();
          }}
          onKeep={close}
        >
          Nothing is sent to it any more, and its deliveries {webhook && 'and its secret '}are deleted here.
        </Confirmation>
      )}
    </li>
  );
}

function nameOf(endpoint: Endpoint, isThisBrowser: boolean): string {
  if (isThisBrowser) return 'This browser';
  const { label, address } = settingsOf(endpoint);
  const kind = kindOf(endpoint);
  return showHidden((kind !== 'email' && label) || address || `${kinds[kind]} without an address`);
}

function settingsOf(endpoint: Endpoint): EndpointSettings {
  if (isWebhook(endpoint)) {
    const { url = '', events } = endpoint;
    return { address: url, events, label: null, delaySeconds: 0, showQuestion: false };
  }
  const { address = '', label, delaySeconds, showQuestion } = endpoint;
  return { address, events: [], label, delaySeconds, showQuestion };
}
