import type { CommittedEvent, Truth } from './read-truth.ts';

/** The events that a topic must carry, by request and in its order. */
export function expectedOn(
  topics: readonly string[],
  truth: Truth,
): ReadonlyMap<string, readonly CommittedEvent[]> {
  const [only = ''] = topics;
  if (only.endsWith('/activity')) return filtered(truth, () => true);
  if (only.startsWith('/svc/providers/')) return filtered(truth, ({ type }) => type === 'new_request');
  const wanted = new Set(topics.map((topic) => topic.slice('/svc/requests/'.length)));
  return filtered(truth, ({ requestId, type }) => wanted.has(requestId) && type !== 'new_request');
}

function filtered(truth: Truth, keep: (event: CommittedEvent) => boolean) {
  const entries = [...truth].map(([requestId, { events }]) => [requestId, events.filter(keep)] as const);
  return new Map(entries.filter(([, events]) => events.length > 0));
}

/** The key of an event as it came on a stream. */
export function keyOf(data: string): string {
  const { type, messageId, refCode } = JSON.parse(data) as Record<string, string>;
  return `${type} ${messageId ?? refCode}`;
}
