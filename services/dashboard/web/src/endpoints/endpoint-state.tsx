import type { Channel } from '../generated/api.ts';
import rows from '../ui/rows.module.css';
import { Time } from '../ui/time.tsx';
import { describeDelay } from './delays.ts';
import { describeReason, stateNames } from './delivery-sentences.ts';
import { type Endpoint, isRenewed, isWebhook } from './endpoint-calls.ts';

const offSentences: Readonly<Record<NonNullable<Channel['offReason']>, string>> = {
  owner: 'Off',
  failing:
    'Switched off: nothing could be delivered for five days. Check the address and its receiver, then switch it on.',
  gone: 'Switched off: the address does not exist any more.',
  unreadable: 'Off: the relay cannot read its address any more. Remove it, then add it again.',
  unsubscribed:
    'Off: its emails were stopped by a link in an email. To get emails again, have the link sent that confirms it.',
};

function describeOff(endpoint: Endpoint): string {
  if (isRenewed(endpoint))
    return 'Off: the relay has another push key. It is on again when a page is opened in that browser.';
  if (isWebhook(endpoint) && endpoint.offReason === 'gone')
    return 'Switched off: the receiver answered 410, which ends a webhook.';
  return offSentences[endpoint.offReason ?? 'owner'];
}

/** Whether and when an endpoint is called, and what came of it last. */
export function EndpointState({ endpoint }: { endpoint: Endpoint }) {
  const { enabled, offReason = 'owner', failingSince } = endpoint;
  const channel = isWebhook(endpoint) ? undefined : endpoint;
  if (channel?.confirmed === false && offReason !== 'unreadable' && offReason !== 'unsubscribed') {
    return (
      <span className={rows.detail}>
        <span className={rows.warn}>Not confirmed: open the link in the email that was sent to it.</span>
      </span>
    );
  }
  return (
    <span className={rows.detail}>
      {!enabled ? (
        <span className={offReason === 'owner' ? undefined : rows.bad}>{describeOff(endpoint)}</span>
      ) : failingSince ? (
        <span className={rows.bad}>
          Failing since <Time at={failingSince} details />
        </span>
      ) : (
        <span className={rows.ok}>On</span>
      )}
      {channel ? (
        <ChannelDetails channel={channel} />
      ) : (
        <span>
          made <Time at={endpoint.createdAt} details />
        </span>
      )}
    </span>
  );
}

function ChannelDetails({ channel }: { channel: Channel }) {
  const { enabled, delaySeconds, showQuestion, sessionTimedOut, lastDelivery } = channel;
  return (
    <>
      {enabled && <span>{describeDelay(delaySeconds)}</span>}
      {enabled && showQuestion && (
        <span>{sessionTimedOut ? 'without the question until its next sign-in' : 'with the question'}</span>
      )}
      {lastDelivery && (
        <span>
          last: {stateNames[lastDelivery.state].toLowerCase()} <Time at={lastDelivery.at} details />
        </span>
      )}
      {enabled && lastDelivery?.state === 'failed' && (
        <span className={rows.bad}>{describeReason(lastDelivery)}</span>
      )}
    </>
  );
}
