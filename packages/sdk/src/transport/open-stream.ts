import type { ClientOptions } from '../client-options.ts';
import type { Api } from './api.ts';
import { fetchSettings } from './fetch-settings.ts';
import { createHubAddress } from './hub-address.ts';
import { members, text } from './shape.ts';

/** Opens one stream of events for many topics. */
export type OpenStream = (request: {
  readonly topics: readonly string[];
  readonly lastEventId: string | undefined;
  readonly signal: AbortSignal;
}) => Promise<ReadableStream<Uint8Array>>;

export function createOpenStream(api: Api, options: ClientOptions): OpenStream {
  const { apiKey, fetch = globalThis.fetch } = options;
  const hubAddress = createHubAddress(api, options);

  return async ({ topics, lastEventId, signal }) => {
    const url = new URL(await hubAddress(signal));
    for (const topic of topics) url.searchParams.append('topic', topic);
    // In the address: browsers may not send the header to another origin.
    if (lastEventId !== undefined) url.searchParams.set('lastEventId', lastEventId);
    const headers: Record<string, string> = { accept: 'text/event-stream' };
    if (isServer()) headers['x-api-key'] = apiKey;
    else url.searchParams.set('authorization', await fetchToken(topics, signal));

    const response = await fetch(url, { ...fetchSettings, headers, signal });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    if (response.ok && isStream && response.body) return response.body;
    await response.body?.cancel();
    throw new Error(`HTTP ${response.status}`);
  };

  function fetchToken(topics: readonly string[], signal: AbortSignal): Promise<string> {
    return api.post('/api/v1/stream-token', { topics }, (answer) => text(members(answer), 'token'), signal);
  }
}

/** Browsers ask other origins' permission for a header with a key, and a hub need not give it. */
function isServer(): boolean {
  const { process } = globalThis as { process?: { versions?: { node?: string } } };
  return process?.versions?.node !== undefined;
}
