import { useQuery } from '@tanstack/react-query';
import type { Notifications } from '../generated/api.ts';
import { preferences } from '../storage/preferences.ts';
import rows from '../ui/rows.module.css';
import { useStore } from '../ui/store.ts';
import { EndpointList } from './endpoint-list.tsx';
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
  const { channels, pushKey, canEmail } = state;
  const { notifications } = useStore(preferences);
  const own = useQuery({
    queryKey: ['own-channel', channels.map(({ id }) => id).join()],
    queryFn: async () => (await findOwnChannel(channels))?.id ?? null,
    placeholderData: (known) => known,
  }).data;
  if (own === undefined) return null;

  return (
    <>
      <PauseNotice state={state} onDone={onDone} />
      <EndpointList
        name="Channels"
        endpoints={channels.toSorted((one, other) => Number(other.id === own) - Number(one.id === own))}
        kinds={canEmail ? ['email', 'chat'] : ['chat']}
        own={own}
        onDone={onDone}
      >
        {!channels.some(({ id }) => id === own) && <ThisBrowser pushKey={pushKey} onDone={onDone} />}
      </EndpointList>
      {!canEmail && <p className={rows.quiet}>Email is not set up on this relay.</p>}
      {(channels.length > 0 || notifications !== 'off') && (
        <>
          <QuietHoursSetting state={state} onDone={onDone} />
          <PauseSetting onDone={onDone} />
        </>
      )}
    </>
  );
}
