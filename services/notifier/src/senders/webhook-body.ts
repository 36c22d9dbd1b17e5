import type { ClaimedDelivery } from '../deliveries/claim-for-webhooks.ts';

/**
 * The body of a webhook: a function of stored columns, so it is the same at every attempt. It has no text of people and no
 * status, which may be old when it arrives: the receiver reads the conversation.
 */
export function webhookBody({
  type,
  eventAt,
  requestId,
  refCode,
  messageId,
}: Pick<ClaimedDelivery, 'type' | 'eventAt' | 'requestId' | 'refCode' | 'messageId'>): string {
  const data = {
    ...(requestId !== null && { requestId }),
    ...(refCode !== null && { refCode }),
    ...(messageId !== null && { messageId }),
  };
  return JSON.stringify({ type, timestamp: eventAt, data });
}
