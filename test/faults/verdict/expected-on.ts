import type { CommittedEvent, Truth } from './read-truth.ts';

/** The events that a topic must carry, by request and in its order. */
export function expectedOn(
  topics: readonly string[],
  truth: Truth,
): ReadonlyMap<string, readonly CommittedEvent[]> {
  const [only = ''] = topics;
  const all = [...truth.keys()];
  if (only.endsWith('/activity')) return filtered(truth, all, () => true);
  if (only.startsWith('/svc/providers/')) return filtered(truth, all, ({ type }) => type === 'new_request');
  const wanted = topics.map((topic) => topic.slice('/svc/requests/'.length));
  return filtered(truth, wanted, ({ type }) => type !== 'new_request');
}

function filtered(truth: Truth, requestIds: readonly string[], keep: (event: CommittedEvent) => boolean) {
  const entries = requestIds.map((id) => [id, (truth.get(id)?.events ?? []).filter(keep)] as const);
  return new Map(entries.filter(([, events]) => events.length > 0));
}

/** The key of an event as it came on a stream. */
export function keyOf(data: string): string {
  const { type, messageId, refCode } = JSON.parse(data) as Record<string, string>;
  return `${type} ${messageId ?? refCode}`;
}
