import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { CallError, call } from '../calls/call.ts';
import type { Channel, Notifications } from '../generated/api.ts';

/** Null where the relay has no notifier. */
export const notificationsQuery = queryOptions({
  queryKey: ['notifications'],
  staleTime: 0,
  queryFn: ({ signal }) => readNotifications(signal),
});

export async function readNotifications(signal?: AbortSignal): Promise<Notifications | null> {
  try {
    return (await call<Notifications>('/api/notifications', { signal })).body;
  } catch (error) {
    if (error instanceof CallError && error.status === 404) return null;
    throw error;
  }
}

/**
 * The end of the pause or of the quiet hours that hold notifications back, in milliseconds since 1970; undefined outside of
 * both. Where it cannot be read, the answer is what was read last.
 */
export async function readHeldUntil(queries: QueryClient): Promise<number | undefined> {
  const state = await queries
    .fetchQuery(notificationsQuery)
    .catch(() => queries.getQueryData(notificationsQuery.queryKey));
  const until = Date.parse(state?.heldUntil ?? '');
  return until > Date.now() ? until : undefined;
}

/**
 * Whether its browser subscribes again automatically. A subscription that its push service has ended is removed, so one that is
 * `gone` has a push key that the relay has removed.
 */
export const isRenewed = ({ kind, offReason }: Channel): boolean => kind === 'push' && offReason === 'gone';

export const channelPath = (id: string): string => `/api/notifications/channels/${encodeURIComponent(id)}`;

export type ChannelSettings = Pick<Channel, 'label' | 'delaySeconds' | 'showQuestion'>;

export type NewChannel = Partial<ChannelSettings> &
  (
    | { readonly kind: 'push'; readonly subscription: PushSubscriptionJSON; readonly pushKey: string }
    | { readonly kind: 'mail'; readonly address: string }
    | { readonly kind: 'chat'; readonly url: string }
  );

export const addChannel = async (channel: NewChannel): Promise<Channel> =>
  (await call<Channel>('/api/notifications/channels', { method: 'POST', body: channel })).body;

export async function changeChannel(
  queries: QueryClient,
  id: string,
  change: Partial<ChannelSettings> & { readonly enabled?: boolean },
): Promise<void> {
  keepChannel(queries, (await call<Channel>(channelPath(id), { method: 'PUT', body: change })).body);
}

export const deleteChannel = (id: string) => call(channelPath(id), { method: 'DELETE' });

export async function removeChannel(queries: QueryClient, id: string): Promise<void> {
  await deleteChannel(id);
  update(queries, (known) => ({ channels: known.channels.filter((other) => other.id !== id) }));
}

export const sendConfirmation = (id: string) =>
  call(`${channelPath(id)}/send-confirmation`, { method: 'POST' });

export const confirmMail = async (id: string, token: string): Promise<Channel> =>
  (await call<Channel>(`${channelPath(id)}/confirm`, { method: 'POST', body: { token } })).body;

/** An absent setting is kept. */
export async function changeTimes(
  queries: QueryClient,
  times: Partial<Pick<Notifications, 'pausedUntil' | 'quietHours'>>,
): Promise<void> {
  const { body } = await call<Notifications>('/api/notifications', { method: 'PUT', body: times });
  // Another change may be on its way, which this answer does not know: only what was changed here is taken.
  update(queries, () => ({
    ...(times.pausedUntil !== undefined && { pausedUntil: body.pausedUntil }),
    ...(times.quietHours !== undefined && { quietHours: body.quietHours }),
    heldUntil: body.heldUntil,
  }));
}

/** Shows a new or changed channel in the list, without reading it again. */
export function keepChannel(queries: QueryClient, channel: Channel): void {
  update(queries, ({ channels }) => ({
    channels: channels.some(({ id }) => id === channel.id)
      ? channels.map((other) => (other.id === channel.id ? channel : other))
      : [...channels, channel],
  }));
}

function update(queries: QueryClient, change: (known: Notifications) => Partial<Notifications>): void {
  // A read that is in flight would overwrite this change with older data.
  void queries.cancelQueries(notificationsQuery);
  queries.setQueryData(notificationsQuery.queryKey, (known) => known && { ...known, ...change(known) });
}
