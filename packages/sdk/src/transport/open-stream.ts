import type { Access } from '../client-options.ts';
import type { Api } from './api.ts';
import { fetchSettings } from './fetch-settings.ts';
import { createHubAddress } from './hub-address.ts';
import { members, text, unexpected } from './shape.ts';

/** Opens one stream of events for many topics. */
export type OpenStream = (request: {
  readonly topics: readonly string[];
  readonly lastEventId: string | undefined;
  readonly signal: AbortSignal;
}) => Promise<ReadableStream<Uint8Array>>;

export interface StreamOptions {
  /** What the hub calls topics. */
  readonly topicsOf: (topics: readonly string[], signal: AbortSignal) => Promise<readonly string[]>;
}

export function createOpenStream(api: Api, options: Access & StreamOptions): OpenStream {
  const { apiKey, topicsOf, fetch = globalThis.fetch } = options;
  const hubAddress = createHubAddress(api, options);

  return async ({ topics: names, lastEventId, signal }) => {
    const topics = await topicsOf(names, signal);
    const url = new URL(await hubAddress(signal));
    for (const topic of topics) url.searchParams.append('topic', topic);
    // In the address: browsers may not send the header to another origin.
    if (lastEventId !== undefined) url.searchParams.set('lastEventId', lastEventId);
    // Browsers ask other origins' permission for a header with a key, and a hub need not give it.
    const isNode = (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node;
    const headers: Record<string, string> = { accept: 'text/event-stream' };
    if (isNode && apiKey) headers['x-api-key'] = apiKey;
    else {
      const answer = await api.post('/api/v1/stream-token', { topics }, members, signal);
      url.searchParams.set('authorization', text(answer, 'token'));
    }

    const response = await fetch(url, { ...fetchSettings, headers, signal });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    if (response.ok && isStream && response.body) return response.body;
    await response.body?.cancel();
    unexpected('a stream');
  };
}
