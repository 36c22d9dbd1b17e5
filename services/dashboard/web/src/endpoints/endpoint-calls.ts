import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { Channel, Notifications, Webhook, Webhooks, WebhookWithSecret } from '../generated/api.ts';
import { CallError, call } from '../relay/call.ts';

/** What the relay calls: a channel notifies the expert, a webhook a program. */
export type Endpoint = Channel | Webhook;
export type EndpointKind = Channel['kind'] | 'webhook';
export type WebhookEvent = Webhook['events'][number];

/** What the expert sets. An address is shown in full only for webhooks, so only theirs can be changed. */
export interface EndpointSettings
  extends Pick<Channel, 'label' | 'delaySeconds' | 'showQuestion'>,
    Pick<Webhook, 'events'> {
  readonly address: string;
}

export const isWebhook = (endpoint: Endpoint): endpoint is Webhook => 'events' in endpoint;
export const kindOf = (endpoint: Endpoint): EndpointKind => (isWebhook(endpoint) ? 'webhook' : endpoint.kind);

/** Null where the relay has no notifier. */
export const notificationsQuery = queryOptions({
  queryKey: ['notifications'],
  staleTime: 0,
  queryFn: ({ signal }) => readNotifications(signal),
});

export const readNotifications = (signal?: AbortSignal): Promise<Notifications | null> =>
  orNull(call<Notifications>('/api/notifications', { signal }));

/** All webhooks of the user and of the agents' keys; null where the relay delivers none. */
export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  staleTime: 0,
  queryFn: async ({ signal }): Promise<readonly Webhook[] | null> =>
    (await orNull(call<Webhooks>('/api/webhooks', { signal })))?.webhooks ?? null,
});

async function orNull<T>(reading: Promise<{ readonly body: T }>): Promise<T | null> {
  try {
    return (await reading).body;
  } catch (error) {
    if (error instanceof CallError && error.status === 404) return null;
    throw error;
  }
}

/**
 * Whether its browser subscribes again automatically. A subscription that its push service has ended is removed, so one that is
 * `gone` has a push key that the relay has removed.
 */
export const isRenewed = (endpoint: Endpoint): boolean =>
  kindOf(endpoint) === 'push' && endpoint.offReason === 'gone';

const channelPath = (id: string): string => `/api/notifications/channels/${encodeURIComponent(id)}`;

export const pathOf = (endpoint: Endpoint): string =>
  isWebhook(endpoint) ? `/api/webhooks/${encodeURIComponent(endpoint.id)}` : channelPath(endpoint.id);

/** `keyId`: of the agent whose requests a webhook follows. Resolves with the secret of a webhook. */
export async function addEndpoint(
  queries: QueryClient,
  kind: Exclude<EndpointKind, 'push'>,
  { address, events, ...rest }: EndpointSettings,
  keyId?: string,
): Promise<string | undefined> {
  if (kind === 'webhook') {
    const body = { url: address, events, ...(keyId && { keyId }) };
    return keepWebhook(
      queries,
      (await call<WebhookWithSecret>('/api/webhooks', { method: 'POST', body })).body,
    );
  }
  keepEndpoint(queries, await addChannel({ kind, [kind === 'email' ? 'address' : 'url']: address, ...rest }));
  return undefined;
}

export const addPush = (
  channel: Partial<Pick<Channel, 'label' | 'delaySeconds' | 'showQuestion'>> & {
    readonly subscription: PushSubscriptionJSON;
    readonly pushKey: string;
  },
): Promise<Channel> => addChannel({ kind: 'push', ...channel });

const addChannel = async (body: object): Promise<Channel> =>
  (await call<Channel>('/api/notifications/channels', { method: 'POST', body })).body;

export function changeEndpoint(
  queries: QueryClient,
  endpoint: Endpoint,
  { address, events, ...rest }: EndpointSettings,
): Promise<void> {
  return change(queries, endpoint, isWebhook(endpoint) ? { url: address, events } : rest);
}

export const switchEndpoint = (queries: QueryClient, endpoint: Endpoint, enabled: boolean): Promise<void> =>
  change(queries, endpoint, { enabled });

async function change(queries: QueryClient, endpoint: Endpoint, body: object): Promise<void> {
  keepEndpoint(queries, (await call<Endpoint>(pathOf(endpoint), { method: 'PUT', body })).body);
}

/** Resolves with the new secret. */
export async function rotateWebhook(queries: QueryClient, webhook: Webhook, graceSeconds: number) {
  const path = `${pathOf(webhook)}/rotate`;
  return keepWebhook(
    queries,
    (await call<WebhookWithSecret>(path, { method: 'POST', body: { graceSeconds } })).body,
  );
}

export const deleteChannel = (id: string) => call(channelPath(id), { method: 'DELETE' });

export async function removeEndpoint(queries: QueryClient, endpoint: Endpoint): Promise<void> {
  await call(pathOf(endpoint), { method: 'DELETE' });
  const isOther = ({ id }: Endpoint) => id !== endpoint.id;
  if (isWebhook(endpoint)) updateWebhooks(queries, (webhooks) => webhooks.filter(isOther));
  else update(queries, ({ channels }) => ({ channels: channels.filter(isOther) }));
}

export const sendTest = (endpoint: Endpoint) => call(`${pathOf(endpoint)}/test`, { method: 'POST' });

export const sendConfirmation = (id: string) =>
  call(`${channelPath(id)}/send-confirmation`, { method: 'POST' });

export const confirmEmail = async (id: string, token: string): Promise<Channel> =>
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
  }));
}

function keepWebhook(queries: QueryClient, { secret, ...webhook }: WebhookWithSecret): string {
  keepEndpoint(queries, webhook);
  return secret;
}

/** Shows a new or changed endpoint in its list, without reading it again. */
export function keepEndpoint(queries: QueryClient, endpoint: Endpoint): void {
  if (isWebhook(endpoint)) updateWebhooks(queries, (webhooks) => withOne(webhooks, endpoint));
  else update(queries, ({ channels }) => ({ channels: withOne(channels, endpoint) }));
}

const withOne = <E extends Endpoint>(known: readonly E[], changed: E): readonly E[] =>
  known.some(({ id }) => id === changed.id)
    ? known.map((other) => (other.id === changed.id ? changed : other))
    : [...known, changed];

function update(queries: QueryClient, change: (known: Notifications) => Partial<Notifications>): void {
  // A read that is in flight would overwrite this change with older data.
  void queries.cancelQueries(notificationsQuery);
  queries.setQueryData(notificationsQuery.queryKey, (known) => known && { ...known, ...change(known) });
}

function updateWebhooks(
  queries: QueryClient,
  change: (known: readonly Webhook[]) => readonly Webhook[],
): void {
  void queries.cancelQueries(webhooksQuery);
  queries.setQueryData(webhooksQuery.queryKey, (known) => change(known ?? []));
}
