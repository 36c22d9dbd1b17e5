import { describeReason, stateNames } from '../deliveries/delivery-sentences.ts';
import type { Channel } from '../generated/api.ts';
import rows from '../ui/rows.module.css';
import { Time } from '../ui/time.tsx';
import { isRenewed } from './channel-calls.ts';
import { describeDelay } from './delays.ts';

const offSentences: Readonly<Record<NonNullable<Channel['offReason']>, string>> = {
  owner: 'Off',
  failing: 'Switched off: nothing could be delivered for five days. Check the address, then switch it on.',
  gone: 'Switched off: the address does not exist any more.',
  unreadable: 'Off: the relay cannot read its address any more. Remove it, then add it again.',
  unsubscribed:
    'Off: its mails were stopped by a link in one of them. To get them again, have the link sent that confirms it.',
};

const describeOff = (channel: Channel): string =>
  isRenewed(channel)
    ? 'Off: the relay has another push key. It is on again when a page is opened in that browser.'
    : offSentences[channel.offReason ?? 'owner'];

/** Whether and when a channel notifies, and what came of it last. */
export function ChannelState({ channel }: { channel: Channel }) {
  const { enabled, confirmed, offReason = 'owner', failingSince, delaySeconds, showQuestion } = channel;
  const { sessionEnded, lastDelivery } = channel;
  if (!confirmed && offReason !== 'unreadable' && offReason !== 'unsubscribed') {
    return (
      <span className={rows.detail}>
        <span className={rows.warn}>Not confirmed: open the link in the mail that was sent to it.</span>
      </span>
    );
  }
  return (
    <span className={rows.detail}>
      {enabled ? (
        <>
          <span className={failingSince ? rows.bad : rows.ok}>
            {failingSince ? (
              <>
                Failing since <Time at={failingSince} details />
              </>
            ) : (
              'On'
            )}
          </span>
          <span>{describeDelay(delaySeconds)}</span>
          {showQuestion && (
            <span>{sessionEnded ? 'without the question until its next sign-in' : 'with the question'}</span>
          )}
        </>
      ) : (
        <span className={offReason === 'owner' ? undefined : rows.bad}>{describeOff(channel)}</span>
      )}
      {lastDelivery && (
        <span>
          last: {stateNames[lastDelivery.state].toLowerCase()} <Time at={lastDelivery.at} details />
        </span>
      )}
      {enabled && lastDelivery?.state === 'failed' && (
        <span className={rows.bad}>{describeReason(lastDelivery)}</span>
      )}
    </span>
  );
}
