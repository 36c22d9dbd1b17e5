import type { Access } from '../client-options.ts';
import { type Api, fetchSettings, httpUrl, invalidUrl } from './api.ts';
import { members, text, unexpected } from './shape.ts';

/** Opens one stream of events for many topics. */
export type OpenStream = (request: {
  readonly topics: readonly string[];
  readonly lastEventId: string | undefined;
  readonly signal: AbortSignal;
}) => Promise<ReadableStream<Uint8Array>>;

export interface StreamOptions {
  /** The hub's names for topics. */
  readonly topicsOf: (topics: readonly string[], signal: AbortSignal) => Promise<readonly string[]>;
}

export function createOpenStream(api: Api, options: Access & StreamOptions): OpenStream {
  const { apiKey, topicsOf, fetch = globalThis.fetch } = options;
  const hubAddress = createHubAddress(api, options);

  return async ({ topics: names, lastEventId, signal }) => {
    const topics = await topicsOf(names, signal);
    const url = new URL(await hubAddress(signal));
    for (const topic of topics) url.searchParams.append('topic', topic);
    // In the address, since browsers may not send the header to another origin.
    if (lastEventId !== undefined) url.searchParams.set('lastEventId', lastEventId);
    // In browsers a header with a key needs the hub's permission (CORS), so they use a token in the address.
    const isNode = (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node;
    const headers: Record<string, string> = { accept: 'text/event-stream' };
    if (isNode && apiKey) headers['x-api-key'] = apiKey;
    else {
      const granted = await api.post('/api/v1/stream-token', { topics }, members, signal);
      url.searchParams.set('authorization', text(granted, 'token'));
    }

    const response = await fetch(url, { ...fetchSettings, headers, signal });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    if (response.ok && isStream && response.body) return response.body;
    await response.body?.cancel();
    unexpected('a stream');
  };
}

/** The hub's address: the given one, or the one that the gateway names, which is asked for once. */
export function createHubAddress(
  api: Api,
  { hubUrl }: Pick<Access, 'hubUrl'>,
): (signal: AbortSignal) => Promise<URL> {
  let known = hubUrl === undefined ? undefined : (httpUrl(hubUrl) ?? invalidUrl('hubUrl'));
  return async (signal) => {
    const { hubUrl } = api;
    known ??= hubUrl
      ? readHubUrl({ hubUrl })
      : await api.get('/.well-known/expert-relay', readHubUrl, signal);
    return known;
  };

  function readHubUrl(body: unknown): URL {
    const url = httpUrl(text(members(body), 'hubUrl'));
    // The key is sent to the hub too, so an https gateway needs an https hub.
    const isSafe = url?.protocol === 'https:' || api.url.startsWith('http:');
    return url && isSafe ? url : unexpected('a safe address as `hubUrl`');
  }
}
