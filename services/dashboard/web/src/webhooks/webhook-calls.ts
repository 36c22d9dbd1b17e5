import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { CallError, call } from '../calls/call.ts';
import type {
  NewWebhookBody,
  Webhook,
  WebhookChange,
  Webhooks,
  WebhookWithSecret,
} from '../generated/api.ts';

export type EventType = Webhook['events'][number];

/** All webhooks of the user and of the agents' keys; null where the relay delivers none. */
export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  staleTime: 0,
  queryFn: async ({ signal }): Promise<readonly Webhook[] | null> => {
    try {
      return (await call<Webhooks>('/api/webhooks', { signal })).body.webhooks;
    } catch (error) {
      if (error instanceof CallError && error.status === 404) return null;
      throw error;
    }
  },
});

export const webhookPath = (id: string): string => `/api/webhooks/${encodeURIComponent(id)}`;

export async function makeWebhook(queries: QueryClient, webhook: NewWebhookBody) {
  const { body } = await call<WebhookWithSecret>('/api/webhooks', { method: 'POST', body: webhook });
  return keepWebhook(queries, body);
}

export async function changeWebhook(queries: QueryClient, id: string, change: WebhookChange): Promise<void> {
  keep(queries, (await call<Webhook>(webhookPath(id), { method: 'PUT', body: change })).body);
}

export async function rotateWebhook(queries: QueryClient, id: string, graceSeconds: number) {
  const path = `${webhookPath(id)}/rotate`;
  return keepWebhook(
    queries,
    (await call<WebhookWithSecret>(path, { method: 'POST', body: { graceSeconds } })).body,
  );
}

export async function deleteWebhook(queries: QueryClient, id: string): Promise<void> {
  await call(webhookPath(id), { method: 'DELETE' });
  void queries.cancelQueries(webhooksQuery);
  queries.setQueryData(webhooksQuery.queryKey, (known) => known?.filter((other) => other.id !== id));
}

function keepWebhook(queries: QueryClient, { secret, ...webhook }: WebhookWithSecret): string {
  keep(queries, webhook);
  return secret;
}

/** Shows a new or changed webhook in the list, without reading it again. */
function keep(queries: QueryClient, webhook: Webhook): void {
  // A read that is in flight would overwrite this change with older data.
  void queries.cancelQueries(webhooksQuery);
  queries.setQueryData(webhooksQuery.queryKey, (known) =>
    known?.some(({ id }) => id === webhook.id)
      ? known.map((other) => (other.id === webhook.id ? webhook : other))
      : [...(known ?? []), webhook],
  );
}
