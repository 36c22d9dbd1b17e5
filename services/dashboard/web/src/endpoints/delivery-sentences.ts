import type { Delivery, DeliveryFailure } from '../generated/api.ts';

export const stateNames: Readonly<Record<Delivery['state'], string>> = {
  waiting: 'Waiting',
  sending: 'Sending',
  delivered: 'Delivered',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

/** Of webhooks and channels: an email has other limits than a POST. */
const reasons: Readonly<Record<Exclude<DeliveryFailure, 'refused'>, string>> = {
  name_not_found: 'The name does not resolve to a public address.',
  address_not_allowed: 'The address is not public, or its port is not 443.',
  not_reachable: 'The receiver could not be reached, or refused the relay’s login.',
  tls_failed: 'The receiver’s certificate is not valid for its name, or it refused TLS.',
  timed_out: 'The receiver did not answer in time.',
  broken_off: 'The connection ended before an answer.',
  endpoint_off: 'The relay switched it off, since it failed, while this waited.',
  no_mail_server: 'This relay has no mail server at the moment.',
  push_key_removed: 'The relay has removed the push key with which the browser subscribed.',
};

/** Why the last attempt failed, as a sentence. */
export function describeReason({ reason, statusCode }: Pick<Delivery, 'reason' | 'statusCode'>) {
  if (reason === undefined) return undefined;
  if (reason === 'refused')
    return statusCode === undefined ? 'The receiver refused it.' : `The receiver answered ${statusCode}.`;
  return reasons[reason] ?? `It failed: ${reason}.`;
}

/** What a type of event means to the expert. */
export const eventNames: Readonly<Record<string, string>> = {
  'request.created': 'New request',
  'message.created': 'Message',
  'keys.exchanged': 'Picked up',
  'request.closed': 'Request ended',
  'request.expired': 'Request expired',
  'request.answered': 'Answered',
  'webhook.test': 'Test',
  'channel.test': 'Test',
  'channel.confirm': 'Confirmation of the address',
  'endpoint.off': 'Report of what was switched off',
};
