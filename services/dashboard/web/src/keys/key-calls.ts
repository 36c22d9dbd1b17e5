import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { Key, KeyList, NewKey, NewKeyBody } from '../generated/api.ts';
import { call } from '../relay/call.ts';

export type KeyKind = Key['kind'];

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  // No event reports when a key was last used.
  staleTime: 0,
  queryFn: ({ signal }) => readKeys(signal),
});

/** At most 100 keys are in use and 1,000 revoked ones are kept, on pages of 200. */
const maxPages = 6;

async function readKeys(signal: AbortSignal): Promise<readonly Key[]> {
  const keys: Key[] = [];
  let query = '';
  for (let page = 0; page < maxPages; page++) {
    const { body } = await call<KeyList>(`/api/keys${query}`, { signal });
    keys.push(...body.keys);
    if (body.next === undefined) break;
    query = `?after=${encodeURIComponent(body.next)}`;
  }
  return keys;
}

export async function makeKey(queries: QueryClient, key: NewKeyBody) {
  return keepKey(queries, (await call<NewKey>('/api/keys', { method: 'POST', body: key })).body);
}

export async function rotateKey(queries: QueryClient, id: string, graceSeconds: number) {
  const path = `/api/keys/${encodeURIComponent(id)}/rotate`;
  return keepKey(queries, (await call<NewKey>(path, { method: 'POST', body: { graceSeconds } })).body);
}

export async function renameKey(queries: QueryClient, id: string, name: string): Promise<void> {
  const path = `/api/keys/${encodeURIComponent(id)}`;
  const { body } = await call<Key>(path, { method: 'PUT', body: { name } });
  keep(queries, body);
}

export async function revokeKey(queries: QueryClient, key: Key): Promise<void> {
  await call(`/api/keys/${encodeURIComponent(key.id)}`, { method: 'DELETE' });
  keep(queries, { ...key, revokedAt: new Date().toISOString() });
}

function keepKey(queries: QueryClient, { key: secret, ...key }: NewKey) {
  keep(queries, key);
  return { key, secret };
}

/** Shows a new or changed key in the list, without reading it again. */
function keep(queries: QueryClient, key: Key): void {
  // A read that is in flight would overwrite this change with older data.
  void queries.cancelQueries(keysQuery);
  queries.setQueryData(keysQuery.queryKey, (keys = []) =>
    keys.some(({ id }) => id === key.id)
      ? keys.map((other) => (other.id === key.id ? key : other))
      : [key, ...keys],
  );
}
