/**
 * What a webhook of a user may be notified of, and what one of a consumer key. A webhook for which no events are named gets those of
 * the release that made it: they are stored.
 */
export const userEvents = [
  'request.created',
  'message.created',
  'request.closed',
  'request.expired',
] as const;
export const keyEvents = ['message.created', 'keys.exchanged', 'request.closed', 'request.expired'] as const;

/**
 * The events of each channel. They are stored with a channel when it is made, so those that exist do not get a new one without a
 * migration. An answer is only for chats, whose other members see that the request is done.
 */
export const eventsOf = {
  push: ['request.created', 'message.created'],
  email: ['request.created', 'message.created'],
  chat: ['request.created', 'message.created', 'request.answered'],
} as const;

export type WebhookType = (typeof userEvents | typeof keyEvents)[number] | 'webhook.test';
export type NoticeType = (typeof eventsOf.chat)[number] | 'channel.test' | 'channel.confirm' | 'endpoint.off';
export type DeliveryType = WebhookType | NoticeType;

/** For a type that a sender has no message for: one of a newer release, whose processes send it when this one has returned it. */
export const unknownType = (type: string | undefined) =>
  new Error(`no message for a delivery of type ${type}`);
