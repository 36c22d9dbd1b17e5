/** What a subscriber of the hub can listen to. */
export type Topic =
  | { readonly kind: 'provider'; readonly userId: string }
  | { readonly kind: 'activity'; readonly userId: string }
  | { readonly kind: 'request'; readonly requestId: string };

const userId = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
// 128 bits as base64url.
const requestId = '[A-Za-z0-9_-]{22}';

const userTopic = new RegExp(`^/svc/providers/(${userId})(/activity)?$`);
const requestTopic = new RegExp(`^/svc/requests/(${requestId})$`);

export function formatTopic(topic: Topic): string {
  switch (topic.kind) {
    case 'provider':
      return `/svc/providers/${topic.userId}`;
    case 'activity':
      return `/svc/providers/${topic.userId}/activity`;
    case 'request':
      return `/svc/requests/${topic.requestId}`;
  }
}

/**
 * Accepts only what `formatTopic` makes of valid ids. So each topic has one spelling and can be compared as text, and a
 * topic that no event is ever sent to is refused.
 */
export function parseTopic(text: string): Topic | undefined {
  const user = userTopic.exec(text);
  if (user?.[1] !== undefined)
    return { kind: user[2] === undefined ? 'provider' : 'activity', userId: user[1] };
  const request = requestTopic.exec(text);
  return request?.[1] === undefined ? undefined : { kind: 'request', requestId: request[1] };
}
