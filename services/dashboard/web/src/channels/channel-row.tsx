import { showHidden } from '@expert-relay/sdk/text';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ActionError } from '../calls/action-error.tsx';
import { Confirmation } from '../calls/confirmation.tsx';
import { sendTest } from '../deliveries/delivery-calls.ts';
import { DeliveryList } from '../deliveries/delivery-list.tsx';
import type { Channel } from '../generated/api.ts';
import { Button } from '../ui/button.tsx';
import { PartButtons, useOpenPart } from '../ui/open-part.tsx';
import { Panel } from '../ui/panel.tsx';
import rows from '../ui/rows.module.css';
import { useAction } from '../ui/use-action.ts';
import { changeChannel, channelPath, removeChannel, sendConfirmation } from './channel-calls.ts';
import { ChannelForm } from './channel-form.tsx';
import { ChannelState } from './channel-state.tsx';
import { unsubscribe } from './push.ts';

type Part = 'deliveries' | 'change' | 'remove';

const parts: readonly (readonly [Part, string])[] = [
  ['deliveries', 'Deliveries'],
  ['change', 'Change'],
  ['remove', 'Remove'],
];

const kinds = { push: 'Browser', mail: 'Mail', chat: 'Chat' };

interface ChannelRowProps {
  readonly channel: Channel;
  readonly isThisBrowser: boolean;
  readonly onDone: (text: string) => void;
  readonly onRemoved: () => void;
}

/** A channel with its actions, and the open one below it. */
export function ChannelRow({ channel, isThisBrowser, onDone, onRemoved }: ChannelRowProps) {
  const { id, kind, enabled, confirmed } = channel;
  const isReadable = channel.offReason !== 'unreadable';
  const queries = useQueryClient();
  const part = useOpenPart<Part>();
  const { open, close } = part;
  /** Each test opens a new list, which follows it. */
  const [tests, setTests] = useState(0);
  const path = channelPath(id);
  const name = nameOf(channel, isThisBrowser);

  const testing = useAction(async () => {
    await sendTest(path);
    onDone('A test is on its way.');
    setTests(tests + 1);
    part.show('deliveries');
  });
  const confirming = useAction(async () => {
    await sendConfirmation(id);
    onDone('Another mail is on its way.');
  });
  const switching = useAction(async () => {
    await changeChannel(queries, id, { enabled: !enabled });
    onDone(enabled ? 'It is off.' : 'It is on.');
  });

  const action = (label: string, { isBusy, run }: ReturnType<typeof useAction<[]>>) => (
    <Button look="quiet" isBusy={isBusy} aria-label={`${label}: ${name}`} onClick={() => void run()}>
      {label}
    </Button>
  );

  return (
    <li className={rows.row}>
      <div className={rows.facts}>
        <span className={rows.name}>
          <bdi>{name}</bdi>
          {!isThisBrowser && <span className={rows.label}>{kinds[kind]}</span>}
          {kind === 'chat' && channel.label && <bdi className={rows.label}>{channel.address}</bdi>}
        </span>
        <ChannelState channel={channel} />
      </div>
      <div className={rows.quietActions}>
        {!confirmed && isReadable && action('Send the mail again', confirming)}
        {confirmed && enabled && action('Send a test', testing)}
        <PartButtons
          parts={parts.filter(([id]) => isReadable || id !== 'change')}
          rowName={name}
          state={part}
        />
        {confirmed && isReadable && action(enabled ? 'Switch off' : 'Switch on', switching)}
      </div>
      <ActionError error={testing.error ?? confirming.error ?? switching.error} />
      {open === 'deliveries' && (
        <Panel isInner title="Deliveries of the last seven days">
          <DeliveryList key={tests} path={path} />
        </Panel>
      )}
      {open === 'change' && (
        <Panel isInner title={`Change “${name}”`}>
          <ChannelForm
            kind={kind}
            settings={channel}
            submit={['Save', 'Saving…']}
            onSubmit={async (change) => {
              await changeChannel(queries, id, change);
              onDone('Saved');
              close();
            }}
            onCancel={close}
          />
        </Panel>
      )}
      {open === 'remove' && (
        <Confirmation
          isInner
          title={`Remove “${name}”?`}
          submit={['Remove it', 'Removing…']}
          onConfirm={async () => {
            await removeChannel(queries, id);
            if (isThisBrowser) await unsubscribe();
            onRemoved();
          }}
          onKeep={close}
        >
          It is not notified any more, and its deliveries are deleted here.
        </Confirmation>
      )}
    </li>
  );
}

function nameOf({ kind, label, address }: Channel, isThisBrowser: boolean): string {
  if (isThisBrowser) return 'This browser';
  return showHidden((kind === 'mail' ? address : label || address) ?? `${kinds[kind]} without an address`);
}
