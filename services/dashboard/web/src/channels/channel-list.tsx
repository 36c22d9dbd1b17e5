import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Notifications } from '../generated/api.ts';
import { preferences } from '../preferences/preferences.ts';
import { Button } from '../ui/button.tsx';
import rows from '../ui/rows.module.css';
import { useStore } from '../ui/store.ts';
import { AddChannel, newKinds } from './add-channel.tsx';
import { ChannelRow } from './channel-row.tsx';
import { PauseNotice, PauseSetting } from './pause.tsx';
import { findOwnChannel } from './push.ts';
import { QuietHoursSetting } from './quiet-hours.tsx';
import { ThisBrowser } from './this-browser.tsx';

interface ChannelListProps {
  readonly state: Notifications;
  readonly onDone: (text: string) => void;
}

/** The channels, and when they are quiet. */
export function ChannelList({ state, onDone }: ChannelListProps) {
  const { channels, pushKey, canMail } = state;
  const { notifications } = useStore(preferences);
  const [adding, setAdding] = useState<'mail' | 'chat'>();
  const buttons = useRef<HTMLDivElement>(null);
  const own = useQuery({
    queryKey: ['own-channel', channels.map(({ id }) => id).join()],
    queryFn: async () => (await findOwnChannel(channels))?.id ?? null,
    placeholderData: (known) => known,
  }).data;

  function close(done = '') {
    setAdding(undefined);
    if (done) onDone(done);
    setTimeout(() => buttons.current?.querySelector('button')?.focus());
  }
  if (own === undefined) return null;

  const ownFirst = channels.toSorted((one, other) => Number(other.id === own) - Number(one.id === own));
  return (
    <>
      <PauseNotice state={state} onDone={onDone} />
      <ul className={rows.list} aria-label="Channels">
        {!channels.some(({ id }) => id === own) && <ThisBrowser pushKey={pushKey} onDone={onDone} />}
        {ownFirst.map((channel) => (
          <ChannelRow
            key={channel.id}
            channel={channel}
            isThisBrowser={channel.id === own}
            onDone={onDone}
            onRemoved={() => close('It is removed.')}
          />
        ))}
      </ul>
      {adding ? (
        <AddChannel kind={adding} onAdded={close} onCancel={() => close()} />
      ) : (
        <div ref={buttons} className={rows.actions}>
          {canMail && <Button onClick={() => setAdding('mail')}>{newKinds.mail.title}</Button>}
          <Button onClick={() => setAdding('chat')}>{newKinds.chat.title}</Button>
        </div>
      )}
      {!canMail && <p className={rows.quiet}>This relay sends no mail.</p>}
      {(channels.length > 0 || notifications !== 'off') && (
        <>
          <QuietHoursSetting state={state} onDone={onDone} />
          <PauseSetting onDone={onDone} />
        </>
      )}
    </>
  );
}
